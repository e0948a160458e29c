/** Names that mean a function. RFC 2142, and what companies commonly set up. Own list. */
export const ROLE_NAMES = `
abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp
info marketing sales support
admin administrator administration root sysadmin sysop system mailer-daemon mailerdaemon mailadmin listserv majordomo devnull nobody daemon
billing account invoice invoices invoicing accounts accounting accountspayable accountsreceivable ap ar payroll finance treasury payments purchasing procurement
contact contacts contactus contact-us hello hi enquiries enquiry inquiries inquiry ask mail email office reception frontdesk
help helpdesk service services servicedesk customerservice customer-service customercare customersupport customer-support customer customers care techsupport tech
hr humanresources human-resources jobs job careers career recruiting recruitment recruiter hiring talent work
press media pr publicrelations communications editor editorial editors newsroom newsletter newsletters subscribe unsubscribe subscriptions list lists
legal compliance privacy gdpr dpo dmca copyright trademark trust ethics
noreply no-reply no_reply donotreply do-not-reply notifications notification notify alerts alert bounce bounces returns auto autoreply
it itsupport it-support ops operations devops sre oncall dev developer developers engineering webteam web dns domain domains ssl certificates
team all everyone staff employees company board directors management
order orders bookings booking reservations reservation shop store delivery shipping logistics warehouse
feedback suggestions complaints survey events event partners partner partnerships affiliates affiliate vendors suppliers investors investor ir
business biz bizdev ads advertising sponsorship community social members membership donate donations volunteer
student students member admissions registrar library alumni
test testing demo spam phishing
kontakt buero vertrieb rechnung rechnungen buchhaltung bewerbung bewerbungen datenschutz einkauf verkauf bestellung bestellungen empfang rezeption zentrale poststelle
sekretariat verwaltung personalabteilung kundenservice kundendienst kundenbetreuung presse pressestelle redaktion geschaeftsleitung geschaeftsfuehrung
contacto ventas soporte facturacion administracion informacion contabilidad compras pedidos recursoshumanos rrhh prensa secretaria atencionalcliente reservas
comercial vendas suporte contato financeiro atendimento faturamento imprensa
contatti vendite amministrazione segreteria acquisti ordini assistenza prenotazioni
accueil commercial comptabilite compta facturation commande commandes recrutement redaction secretariat serviceclient service-client
verkoop inkoop administratie klantenservice receptie facturatie bestellingen
biuro sprzedaz rekrutacja zamowienia ksiegowosc obchod podpora fakturace
kundservice kundeservice faktura forsaljning salg ordre
bilgi iletisim satis destek muhasebe
`.trim().split(/\s+/);

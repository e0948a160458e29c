/** Forwarding alias services: a person reads them, behind an address that can be cut off. Own list; sources in docs/email.md. */
export const RELAY_DOMAINS = `
privaterelay.appleid.com
mozmail.com relay.firefox.com
simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com silomails.com 8alias.com 8shield.net dralias.com
passmail.net passmail.com passinbox.com passfwd.com
addy.io anonaddy.com anonaddy.me addymail.com 4wrd.cc mailer.me
duck.com
opayq.com use-startmail.com msgsafe.io 33mail.com e4ward.com sneakemail.com manyme.com notsharingmy.info spamgourmet.com burnermail.io erine.email
marketplace.amazon.com marketplace.amazon.co.uk marketplace.amazon.de marketplace.amazon.fr marketplace.amazon.it marketplace.amazon.es
marketplace.amazon.co.jp marketplace.amazon.ca members.ebay.com guest.airbnb.com host.airbnb.com reply.airbnb.com guest.booking.com
property.booking.com m.expediapartnercentral.com reply.craigslist.org
`.trim().split(/\s+/);

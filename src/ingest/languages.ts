import type { Dataset } from '../model/dataset.ts';

/**
 * What exports in other languages than English call the fields, folded, by language; they come behind the English names. `company`, `website` and
 * `employees` are of other fields for contacts than for companies. Words that mean something else in another language are left out: the Spanish
 * `estado` is a status, too, the Portuguese `apelido` a nickname, and a German `Titel` a doctor's.
 */
export const LANGUAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    id: 'datensatz id', first_name: 'vorname', last_name: 'nachname|familienname|zuname', full_name: 'vor und nachname|vollstandiger name',
    job_title: 'jobtitel|jobbezeichnung|berufsbezeichnung|stellenbezeichnung|stelle|funktion', department: 'abteilung', email: 'e mail adresse|mailadresse',
    phone: 'telefon|telefonnummer|rufnummer|mobil|mobiltelefon|mobilnummer|handy|handynummer', linkedin_url: 'linkedin profil',
    country: 'land|land region', region: 'bundesland|bundesland region|kanton', city: 'stadt|ort', postal_code: 'plz|postleitzahl',
    company: 'firma|firmenname|unternehmen|unternehmensname', website: 'internet|webseite|internetseite|firmenwebsite|webadresse', industry: 'branche',
    employees: 'mitarbeiter|mitarbeiterzahl|mitarbeiteranzahl|anzahl mitarbeiter|beschaftigte', company_size: 'unternehmensgrosse|firmengrosse',
    size: 'unternehmensgrosse|firmengrosse', description: 'beschreibung', founded_year: 'grundungsjahr', company_type: 'rechtsform',
    updated_at: 'letzte anderung|geandert am|zuletzt geandert|aktualisiert am|anderungsdatum',
  },
  fr: {
    first_name: 'prenom', last_name: 'nom de famille|nom', full_name: 'nom complet', job_title: 'intitule du poste|intitule de poste|poste|fonction',
    email: 'courriel|adresse e mail|adresse mail|adresse de messagerie|adresse electronique',
    phone: 'numero de telephone|telephone mobile|tel mobile|telephone portable|portable|telephone fixe', linkedin_url: 'profil linkedin',
    country: 'pays|pays region', city: 'ville|commune', postal_code: 'code postal',
    company: 'entreprise|societe|denomination|raison sociale|nom de l entreprise|nom de la societe', name: 'nom', website: 'site internet|site web',
    industry: 'secteur|secteur d activite', employees: 'effectif|effectifs|nombre d employes|nombre de salaries', company_size: 'taille de l entreprise',
    size: 'taille de l entreprise', company_type: 'forme juridique', updated_at: 'derniere modification|date de modification|modifie le|mis a jour le',
  },
  es: {
    id: 'id de registro', first_name: 'nombre|nombres', last_name: 'apellido|apellidos|primer apellido', full_name: 'nombre completo|nombre y apellidos',
    job_title: 'puesto|puesto de trabajo|cargo', department: 'departamento', email: 'correo|correo electronico|direccion de correo electronico',
    phone: 'telefono|numero de telefono|telefono movil|movil|celular|telefono fijo', linkedin_url: 'perfil de linkedin',
    country: 'pais|pais region', region: 'provincia|comunidad autonoma|estado region|estado provincia', city: 'ciudad|localidad|municipio', postal_code: 'codigo postal',
    company: 'empresa|razon social|nombre de la empresa|nombre empresa', name: 'nombre', website: 'sitio web|pagina web', industry: 'sector de actividad|industria',
    employees: 'numero de empleados|empleados', description: 'descripcion', founded_year: 'ano de fundacion|fecha de constitucion',
    company_type: 'forma juridica', updated_at: 'ultima modificacion|fecha de modificacion|fecha de actualizacion',
  },
  it: {
    first_name: 'nome', last_name: 'cognome', full_name: 'nome completo|nome e cognome', job_title: 'ruolo|qualifica|posizione|mansione',
    department: 'reparto', email: 'indirizzo email|indirizzo e mail|posta elettronica|indirizzo di posta elettronica',
    phone: 'telefono|numero di telefono|cellulare|telefono cellulare', linkedin_url: 'profilo linkedin',
    country: 'paese|paese regione|nazione', region: 'provincia|regione|stato regione', city: 'citta|comune|localita', postal_code: 'cap',
    company: 'azienda|ragione sociale|nome azienda|societa|impresa', name: 'nome', website: 'sito web|sito internet', industry: 'settore',
    employees: 'dipendenti|numero dipendenti|numero di dipendenti', description: 'descrizione', founded_year: 'anno di fondazione',
    company_type: 'forma giuridica', updated_at: 'ultima modifica|data modifica',
  },
  nl: {
    first_name: 'voornaam', last_name: 'achternaam|familienaam', full_name: 'volledige naam|naam', job_title: 'functie|functietitel|functienaam',
    department: 'afdeling', email: 'e mailadres', phone: 'telefoon|telefoonnummer|mobiel|mobiele telefoon|mobiel nummer|gsm', linkedin_url: 'linkedin profiel',
    country: 'land regio', region: 'provincie', city: 'plaats|stad|woonplaats|plaatsnaam', postal_code: 'postcode',
    company: 'bedrijf|bedrijfsnaam|handelsnaam|organisatie', employees: 'aantal medewerkers|aantal werknemers', description: 'omschrijving|beschrijving',
    founded_year: 'oprichtingsjaar|oprichtingsdatum', company_type: 'rechtsvorm', updated_at: 'laatst gewijzigd|gewijzigd op',
  },
  pt: {
    first_name: 'nome', last_name: 'sobrenome', full_name: 'nome completo', job_title: 'cargo|funcao', department: 'departamento',
    email: 'endereco de e mail', phone: 'telefone|numero de telefone|celular|telemovel', linkedin_url: 'perfil do linkedin',
    country: 'pais regiao', region: 'uf|distrito|estado regiao', city: 'cidade|municipio', postal_code: 'cep|codigo postal', company: 'empresa|razao social|nome da empresa|nome fantasia',
    industry: 'setor', employees: 'numero de funcionarios|funcionarios', description: 'descricao', founded_year: 'ano de fundacao',
    company_type: 'natureza juridica', updated_at: 'ultima modificacao|ultima atualizacao|data de modificacao',
  },
  sv: {
    first_name: 'fornamn', last_name: 'efternamn', full_name: 'namn|fullstandigt namn', job_title: 'befattning|jobbtitel|yrkestitel', department: 'avdelning',
    email: 'e post|e postadress', phone: 'telefonnummer|mobil|mobiltelefon|mobilnummer', city: 'postort', postal_code: 'postnummer',
    company: 'foretag|foretagsnamn|bolag', website: 'webbplats|hemsida', industry: 'bransch', employees: 'antal anstallda', description: 'beskrivning',
    company_type: 'bolagsform', updated_at: 'senast andrad',
  },
  da: {
    first_name: 'fornavn', last_name: 'efternavn', full_name: 'navn|fulde navn', job_title: 'stilling|stillingsbetegnelse|jobtitel', department: 'afdeling',
    email: 'e mailadresse', postal_code: 'postnr|postnummer', company: 'firmanavn|virksomhed|virksomhedsnavn', website: 'hjemmeside|webside',
    employees: 'antal ansatte', description: 'beskrivelse', company_type: 'selskabsform|virksomhedsform', updated_at: 'sidst aendret|senest aendret',
  },
  no: {
    first_name: 'fornavn', last_name: 'etternavn', job_title: 'stillingstittel', department: 'avdeling', email: 'e postadresse', region: 'fylke', city: 'poststed',
    company: 'selskap|bedrift|bedriftsnavn', website: 'nettside|nettsted', industry: 'bransje', employees: 'antall ansatte',
    company_type: 'selskapsform|organisasjonsform', updated_at: 'sist endret',
  },
  fi: {
    first_name: 'etunimi', last_name: 'sukunimi', full_name: 'koko nimi|nimi', job_title: 'tehtavanimike|ammattinimike|titteli', department: 'osasto',
    email: 'sahkoposti|sahkopostiosoite', phone: 'puhelin|puhelinnumero|matkapuhelin', country: 'maa', city: 'kaupunki|paikkakunta', postal_code: 'postinumero',
    company: 'yritys|yrityksen nimi', website: 'verkkosivusto|verkkosivu|kotisivu', industry: 'toimiala', employees: 'henkilostomaara', company_type: 'yhtiomuoto',
  },
  pl: {
    first_name: 'imie', last_name: 'nazwisko', full_name: 'imie i nazwisko', job_title: 'stanowisko', department: 'dzial', email: 'adres e mail',
    phone: 'numer telefonu|telefon komorkowy', country: 'kraj', region: 'wojewodztwo', city: 'miasto|miejscowosc', postal_code: 'kod pocztowy',
    company: 'nazwa firmy', website: 'strona internetowa|strona www', industry: 'branza', employees: 'liczba pracownikow', company_type: 'forma prawna',
    updated_at: 'data modyfikacji',
  },
  ja: {
    last_name: '姓|名字|苗字', first_name: '名', full_name: '名前', job_title: '役職|役職名|肩書|職種', department: '部署|部署名|部門|所属',
    email: 'メールアドレス|メール|eメール|電子メール', phone: '電話番号|電話|携帯電話|携帯番号|tel', country: '国|国名', region: '都道府県', city: '市区町村|市町村',
    postal_code: '郵便番号', company: '会社名|会社|企業名|法人名|勤務先', website: 'ウェブサイト|ホームページ|会社url|hp', industry: '業種|業界', employees: '従業員数|社員数',
    founded_year: '設立年|設立', description: '事業内容|説明', updated_at: '更新日|更新日時|最終更新日|最終更新日時',
  },
};

/** The field that a word of `LANGUAGES` means for a dataset. */
export function fieldMeant(word: string, dataset: Dataset): string {
  return MEANT[dataset].get(word) ?? word;
}

const MEANT: Readonly<Record<Dataset, ReadonlyMap<string, string>>> = {
  contacts: new Map([['company', 'company_name'], ['website', 'company_domain'], ['employees', 'company_size']]),
  companies: new Map([['company', 'name'], ['employees', 'employee_count'], ['full_name', 'name']]),
};

/** First names in languages in whose tables `Name` beside them is the family's. */
const GIVEN = /^(?:vorname|prenom|voornaam|fornavn|fornamn|etunimi|imie)$/;
const NAME = /^(?:name|naam|navn|namn|nimi)$/;

/** What a word for a name means by the others beside it, both folded to one word each: a part of the name, or the whole; null where they tell nothing of it. */
export function namePart(word: string, beside: { readonly names: readonly string[]; has(field: string, but: string): boolean }): 'full_name' | 'last_name' | null {
  const { names, has } = beside;
  if (NAME.test(word)) return names.some((name) => GIVEN.test(name)) && !has('last_name', word) ? 'last_name' : null;
  const other = word === 'nom' ? 'first_name' : /^(?:nombre|nome)$/.test(word) ? 'last_name' : null;
  return other === null || has(other, word) || has('full_name', word) ? null : 'full_name';
}

import type { Dataset } from '../model/dataset.ts';

/**
 * What exports in other languages than English call the fields, folded, by language; they come behind the English names. `company`, `website`, `domain`,
 * `employees` and `company_size` are of other fields for contacts than for companies, and `person` of none for these. Words that mean something else in another language are left out: the Spanish
 * `estado` is a status, too, the Portuguese `apelido` a nickname, and a German `Titel` a doctor's.
 */
export const LANGUAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    id: 'datensatz id', first_name: 'vorname', last_name: 'nachname|familienname|zuname', person: 'vor und nachname|vor und zuname|vorname nachname', full_name: 'vollstandiger name',
    job_title: 'jobtitel|jobbezeichnung|berufsbezeichnung|stellenbezeichnung|stelle|funktion|positionsbezeichnung|position im unternehmen', department: 'abteilung', email: 'e mail adresse|mailadresse',
    phone: 'telefon|telefonnummer|rufnummer|mobil|mobiltelefon|mobilnummer|handy|handynummer|mobiltelefonnummer|festnetz|direktwahl|telefonnr|tel nr|telefon nr|tel geschaftlich', linkedin_url: 'linkedin profil',
    country: 'land|land region|landercode|landerkurzel', region: 'bundesland|bundesland region|kanton', city: 'stadt|ort|ort stadt', postal_code: 'plz|postleitzahl',
    company: 'zugeordnetes unternehmen|firma|firmenname|unternehmen|unternehmensname|name des unternehmens|name der firma', name: 'name 1', website: 'internet|webseite|internetseite|firmenwebsite|webadresse|internetadresse|unternehmenswebsite', industry: 'branche|wirtschaftszweig|branchenbezeichnung',
    employees: 'mitarbeiter|mitarbeiterzahl|mitarbeiteranzahl|anzahl mitarbeiter|beschaftigte|anzahl der mitarbeiter|anzahl der angestellten|anzahl beschaftigte|anzahl der beschaftigten', company_size: 'unternehmensgrosse|firmengrosse',
    description: 'beschreibung', founded_year: 'grundungsjahr|gegrundet|grundungsdatum|jahr der grundung', company_type: 'rechtsform',
    updated_at: 'letzte anderung|letztes anderungsdatum|datum der letzten modifizierung|geandert am|zuletzt geandert|aktualisiert am|anderungsdatum|letzte aktualisierung|datum der letzten anderung|zuletzt geandert am',
    domain: 'domainname des unternehmens', seniority: 'hierarchieebene|karrierestufe|senioritat', revenue_usd: 'umsatz usd|umsatz in usd|umsatz in us dollar|jahresumsatz usd|jahresumsatz in usd',
  },
  fr: {
    id: 'id d enregistrement|id de fiche d informations', first_name: 'prenom', last_name: 'nom de famille|nom', full_name: 'nom complet', job_title: 'intitule du poste|intitule de poste|poste|fonction|poste actuel|titre du poste|titre de poste',
    email: 'courriel|adresse e mail|adresse mail|adresse de messagerie|adresse electronique',
    phone: 'tel pro|numero de telephone|telephone mobile|tel mobile|telephone portable|portable|telephone fixe|tel fixe|n de telephone|no de telephone|numero mobile|numero de mobile|ligne directe', linkedin_url: 'profil linkedin',
    country: 'pays|pays region|code pays', city: 'ville|commune|localite', postal_code: 'code postal|cp',
    company: 'entreprise|societe|denomination|raison sociale|nom de l entreprise|nom de la societe|nom entreprise|nom societe|nom du compte|entreprise associee', name: 'nom', website: 'site internet|site web|url du site web',
    industry: 'secteur|secteur d activite', employees: 'effectif|effectifs|nombre d employes|nombre de salaries|nb d employes|nb employes|nombre de collaborateurs|nb de salaries', company_size: 'taille de l entreprise',
    founded_year: 'annee de creation|annee de fondation', company_type: 'forme juridique', updated_at: 'derniere modification|date de modification|modifie le|mis a jour le|date de derniere modification|date de la derniere modification|date de mise a jour|derniere mise a jour',
    person: 'prenom nom|prenom et nom', domain: 'nom de domaine|nom de domaine de l entreprise', seniority: 'niveau hierarchique', revenue_usd: 'chiffre d affaires usd|ca usd',
  },
  es: {
    id: 'id de registro', first_name: 'nombre|nombres|nombre de pila|primer nombre', last_name: 'apellido|apellidos|primer apellido|apellido paterno', person: 'nombre y apellidos', full_name: 'nombre completo',
    job_title: 'puesto|puesto de trabajo|cargo|titulo del puesto|posicion', department: 'departamento', email: 'correo|correo electronico|direccion de correo electronico',
    phone: 'telefono|numero de telefono|telefono movil|movil|celular|telefono fijo|tfno|tlf', linkedin_url: 'perfil de linkedin',
    country: 'pais|pais region|codigo de pais|codigo pais', region: 'provincia|comunidad autonoma|estado region|estado provincia', city: 'ciudad|localidad|municipio|poblacion', postal_code: 'codigo postal|cp',
    company: 'empresa|razon social|nombre de la empresa|nombre empresa|compania|nombre de empresa|nombre de la compania|nombre de la cuenta|organizacion|empresa asociada|denominacion social', name: 'nombre', website: 'sitio web|pagina web|url del sitio web', industry: 'sector de actividad|industria',
    employees: 'numero de empleados|no empleados|no de empleados|empleados|numero de trabajadores|trabajadores', description: 'descripcion', founded_year: 'ano de fundacion|ano de constitucion|fecha de constitucion',
    company_type: 'forma juridica', updated_at: 'ultima modificacion|fecha de modificacion|fecha de actualizacion|fecha de ultima modificacion|fecha de la ultima modificacion|ultima actualizacion',
    domain: 'dominio|nombre de dominio de la empresa', company_size: 'tamano de la empresa|rango de empleados', seniority: 'nivel jerarquico', revenue_usd: 'ingresos usd|ingresos anuales usd|facturacion usd',
  },
  it: {
    first_name: 'nome', last_name: 'cognome', person: 'nome e cognome', full_name: 'nome completo', job_title: 'ruolo|qualifica|posizione|mansione',
    department: 'reparto', email: 'indirizzo email|indirizzo e mail|posta elettronica|indirizzo di posta elettronica',
    phone: 'telefono|numero di telefono|cellulare|telefono cellulare|recapito telefonico|numero di cellulare', linkedin_url: 'profilo linkedin',
    country: 'paese|paese regione|nazione', region: 'provincia|prov|regione|stato regione', city: 'citta|comune|localita', postal_code: 'cap',
    company: 'azienda|ragione sociale|nome azienda|societa|impresa|nome dell azienda|denominazione|denominazione sociale', name: 'nome', website: 'sito web|sito internet', industry: 'settore|settore di attivita',
    employees: 'dipendenti|addetti|numero addetti|numero dipendenti|numero di dipendenti', description: 'descrizione', founded_year: 'anno di fondazione|anno di costituzione|data di costituzione',
    company_type: 'forma giuridica|natura giuridica', updated_at: 'ultima modifica|data modifica|data ultima modifica|ultimo aggiornamento',
    company_size: 'dimensione azienda', revenue_usd: 'fatturato usd',
  },
  nl: {
    first_name: 'voornaam', last_name: 'achternaam|familienaam', full_name: 'volledige naam|naam', job_title: 'functie|functietitel|functienaam',
    department: 'afdeling', email: 'e mailadres', phone: 'telefoon|telefoonnummer|mobiel|mobiele telefoon|mobiel nummer|gsm|mobiel telefoonnummer', linkedin_url: 'linkedin profiel',
    country: 'land regio', region: 'provincie', city: 'plaats|stad|woonplaats|plaatsnaam', postal_code: 'postcode',
    company: 'bedrijf|bedrijfsnaam|handelsnaam|organisatie|naam bedrijf|naam organisatie', employees: 'aantal medewerkers|aantal werknemers', description: 'omschrijving|beschrijving',
    founded_year: 'oprichtingsjaar|oprichtingsdatum', company_type: 'rechtsvorm', updated_at: 'laatst gewijzigd|gewijzigd op|laatst bijgewerkt',
    company_size: 'bedrijfsgrootte|bedrijfsomvang',
  },
  pt: {
    first_name: 'nome', last_name: 'sobrenome', full_name: 'nome completo', job_title: 'cargo|funcao|posicao', department: 'departamento',
    email: 'endereco de e mail', phone: 'telefone|numero de telefone|celular|telemovel|telefone celular', linkedin_url: 'perfil do linkedin',
    country: 'pais regiao', region: 'uf|distrito|estado regiao', city: 'cidade|municipio', postal_code: 'cep|codigo postal', company: 'empresa|razao social|nome da empresa|nome fantasia',
    industry: 'setor|ramo de atividade', employees: 'numero de funcionarios|funcionarios|numero de colaboradores|no de funcionarios', description: 'descricao', founded_year: 'ano de fundacao|data de fundacao',
    company_type: 'natureza juridica', updated_at: 'ultima modificacao|ultima atualizacao|data de modificacao|data de atualizacao|atualizado em',
    company_size: 'tamanho da empresa',
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
    company: 'selskap|bedrift|bedriftsnavn', website: 'nettside|nettsted', industry: 'bransje', employees: 'antall ansatte', founded_year: 'stiftelsesdato|stiftelsesar',
    company_type: 'selskapsform|organisasjonsform', updated_at: 'sist endret',
  },
  fi: {
    first_name: 'etunimi', last_name: 'sukunimi', full_name: 'koko nimi|nimi', job_title: 'tehtavanimike|ammattinimike|titteli', department: 'osasto',
    email: 'sahkoposti|sahkopostiosoite', phone: 'puhelin|puhelinnumero|matkapuhelin', country: 'maa', city: 'kaupunki|paikkakunta', postal_code: 'postinumero',
    company: 'yritys|yrityksen nimi', website: 'verkkosivusto|verkkosivu|kotisivu', industry: 'toimiala', employees: 'henkilostomaara', company_type: 'yhtiomuoto',
  },
  pl: {
    first_name: 'imie', last_name: 'nazwisko', person: 'imie i nazwisko', job_title: 'stanowisko|stanowisko pracy', department: 'dzial', email: 'adres e mail',
    phone: 'numer telefonu|telefon komorkowy|nr telefonu|numer telefonu komorkowego|telefon stacjonarny', country: 'kraj|panstwo|kod kraju', region: 'wojewodztwo', city: 'miasto|miejscowosc', postal_code: 'kod pocztowy',
    company: 'nazwa firmy|nazwa przedsiebiorstwa|przedsiebiorstwo|organizacja', name: 'nazwa', website: 'strona internetowa|strona www', industry: 'branza', employees: 'liczba pracownikow|liczba zatrudnionych', company_type: 'forma prawna',
    updated_at: 'data modyfikacji|data ostatniej modyfikacji|ostatnia modyfikacja|data aktualizacji',
    company_size: 'wielkosc firmy', founded_year: 'rok zalozenia|data zalozenia|rok powstania', seniority: 'poziom stanowiska', revenue_usd: 'przychody usd',
  },
  cs: {
    first_name: 'jmeno|krestni jmeno', last_name: 'prijmeni', person: 'jmeno a prijmeni|cele jmeno', job_title: 'pozice|funkce|pracovni pozice', department: 'oddeleni',
    email: 'e mailova adresa', phone: 'telefonni cislo|mobilni telefon', country: 'zeme', city: 'mesto|obec', postal_code: 'psc',
    company: 'nazev firmy|spolecnost|nazev spolecnosti', name: 'nazev', website: 'webove stranky|www stranky', industry: 'obor|odvetvi', employees: 'pocet zamestnancu', description: 'popis',
    founded_year: 'rok zalozeni|datum zalozeni', company_type: 'pravni forma', updated_at: 'datum zmeny|posledni zmena',
    company_size: 'velikost firmy',
  },
  tr: {
    first_name: 'adi|isim', last_name: 'soyadi|soyad|soyisim', person: 'ad soyad|adi soyadi|isim soyisim|tam ad', job_title: 'unvan|unvani|gorev|gorevi|pozisyon',
    department: 'departman|bolum', email: 'e posta adresi|e posta', phone: 'telefon numarasi|cep telefonu|telefon no|cep tel', country: 'ulke', region: 'bolge', city: 'sehir', postal_code: 'posta kodu',
    company: 'sirket|sirket adi|firma adi|kurum|ticari unvan', website: 'web sitesi|internet sitesi|web adresi', industry: 'sektor', employees: 'calisan sayisi|personel sayisi',
    company_size: 'sirket buyuklugu', description: 'aciklama', founded_year: 'kurulus yili|kurulus tarihi', company_type: 'sirket turu',
    updated_at: 'guncelleme tarihi|son guncelleme|degistirme tarihi',
  },
  ru: {
    first_name: 'имя', last_name: 'фамилия', person: 'фио|полное имя|имя и фамилия|фамилия имя отчество', job_title: 'должность', department: 'отдел|подразделение|департамент',
    email: 'электронная почта|адрес электронной почты|эл почта|почта', phone: 'телефон|номер телефона|мобильный телефон|мобильный|сотовый|рабочий телефон|тел|сотовый телефон', country: 'страна',
    region: 'регион|область', city: 'город|населенный пункт', postal_code: 'индекс|почтовый индекс',
    company: 'компания|организация|название компании|название организации|наименование|наименование организации', website: 'сайт|веб сайт|адрес сайта',
    industry: 'отрасль|сфера деятельности', employees: 'количество сотрудников|число сотрудников|сотрудники|численность', company_size: 'размер компании',
    description: 'описание', founded_year: 'год основания|дата основания', company_type: 'организационно правовая форма',
    updated_at: 'дата изменения|дата обновления|обновлено|изменено',
    seniority: 'уровень должности',
  },
  zh: {
    person: '姓名', job_title: '职位|职务|職位|職務|職稱', department: '部门|所属部门', email: '邮箱|电子邮箱|电子邮件|邮件|郵箱|電子郵件|電子郵箱',
    phone: '手机|手机号|手机号码|电话|电话号码|联系电话|手機|手機號碼|電話號碼|聯絡電話', country: '国家|国家地区|國家|國家地區', region: '省份|省|省州', city: '城市', postal_code: '邮编|邮政编码|郵遞區號',
    company: '公司名称|公司|企业名称|单位名称|公司名稱|企業名稱', website: '网站|官网|网址|網站|官網|網址', industry: '行业|所属行业|行業|產業', employees: '员工人数|员工数|员工数量|員工人數',
    company_size: '公司规模|企业规模|公司規模', description: '公司简介|企业简介|简介|公司簡介|簡介', founded_year: '成立时间|成立日期|成立年份|成立時間',
    company_type: '企业类型|公司类型|公司類型', updated_at: '更新时间|更新日期|最后更新|修改时间|更新時間|修改時間',
  },
  ja: {
    last_name: '姓|名字|苗字', first_name: '名', full_name: '名前', job_title: '役職|役職名|肩書|職種', department: '部署|部署名|部門|所属',
    email: 'メールアドレス|メール|eメール|電子メール', phone: '電話番号|電話|携帯電話|携帯番号|tel', country: '国|国名', region: '都道府県', city: '市区町村|市町村',
    postal_code: '郵便番号', company: '会社名|会社|企業名|法人名|勤務先', website: 'ウェブサイト|ホームページ|会社url|hp', industry: '業種|業界', employees: '従業員数|社員数',
    founded_year: '設立年|設立', description: '事業内容|説明', updated_at: '更新日|更新日時|最終更新日|最終更新日時',
  },
  ko: {
    last_name: '성|성씨', person: '이름|성명|담당자|담당자명', job_title: '직책|직위|직급|직함', department: '부서|부서명|소속', email: '이메일|이메일 주소|전자우편|메일',
    phone: '전화번호|전화|휴대폰|휴대폰번호|휴대전화|핸드폰|연락처', country: '국가|국가명', region: '시도', city: '도시|시군구', postal_code: '우편번호',
    company: '회사명|회사|기업명|업체명|상호', website: '홈페이지|웹사이트', industry: '업종|산업', employees: '직원수|사원수|종업원수',
    company_size: '기업규모|회사규모', description: '회사소개|기업소개', founded_year: '설립연도|설립일|설립년도', updated_at: '수정일|수정일시|업데이트일',
  },
};

/** The field that a word of `LANGUAGES` means for a dataset. */
export function fieldMeant(word: string, dataset: Dataset): string {
  return MEANT[dataset].get(word) ?? word;
}

const MEANT: Readonly<Record<Dataset, ReadonlyMap<string, string>>> = {
  contacts: new Map([['person', 'full_name'], ['company', 'company_name'], ['website', 'company_domain'], ['domain', 'company_domain'], ['employees', 'company_size']]),
  companies: new Map([['company', 'name'], ['employees', 'employee_count'], ['company_size', 'size'], ['full_name', 'name']]),
};

/** First names in languages in whose tables `Name` beside them is the family's. */
const GIVEN = /^(?:vorname|prenom|voornaam|fornavn|fornamn|etunimi|imie)$/;
const NAME = /^(?:name|naam|navn|namn|nimi)$/;
/** In Korean: the given name beside the family's, else the whole. Folded it is taken apart. */
const WHOLE_OR_GIVEN = '이름'.normalize('NFD');

/** Of a list of companies, and of a table of people the one who looks after them. */
const CONTACT_PERSON = /^(?:ansprechpartner(?:in)?|kontaktperson|kontaktname|personadecontacto|contactpersoon|osobakontaktowa|kontaktniosoba|контактноелицо)$/;

/** What a word for a name means by the others beside it, both folded to one word each: a part of the name, or the whole; null where they tell nothing of it. */
export function namePart(word: string, beside: { readonly names: readonly string[]; has(field: string, but: string): boolean }): 'full_name' | 'first_name' | 'last_name' | null {
  const { names, has } = beside;
  // Alone it is what somebody put up to sell something.
  if (word === 'ad') return names.some((name) => /^soy(?:adi?|isim)$/.test(name)) ? 'first_name' : null;
  if (word === WHOLE_OR_GIVEN) return has('last_name', word) ? 'first_name' : null;
  if (NAME.test(word)) return names.some((name) => GIVEN.test(name)) && !has('last_name', word) ? 'last_name' : null;
  if (CONTACT_PERSON.test(word)) return ['full_name', 'first_name', 'last_name'].some((field) => has(field, word)) ? null : 'full_name';
  const other = word === 'nom' ? 'first_name' : /^(?:nombre|nome|jmeno|adi|isim|имя)$/.test(word) ? 'last_name' : null;
  return other === null || has(other, word) || has('full_name', word) ? null : 'full_name';
}

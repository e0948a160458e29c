/** `CODE WEIGHT city,region;city,region...`: the larger countries, and how many contacts in a thousand live there beyond the least of each country. */
const LARGER =
  `US 300 New York,New York;Los Angeles,California;San Francisco,California;San Diego,California;San Jose,California;Chicago,Illinois;Houston,Texas;Austin,Texas;Dallas,Texas;Phoenix,Arizona;Philadelphia,Pennsylvania;Pittsburgh,Pennsylvania;Seattle,Washington;Denver,Colorado;Boston,Massachusetts;Atlanta,Georgia;Miami,Florida;Orlando,Florida;Detroit,Michigan;Minneapolis,Minnesota;Portland,Oregon;Nashville,Tennessee;Charlotte,North Carolina;Raleigh,North Carolina;Columbus,Ohio;Cleveland,Ohio;Salt Lake City,Utah;Las Vegas,Nevada;St. Louis,Missouri;New Orleans,Louisiana;Baltimore,Maryland;Washington,District of Columbia;Honolulu,Hawaii;Anchorage,Alaska;Richmond,Virginia;Milwaukee,Wisconsin
GB 75 London,England;Manchester,England;Birmingham,England;Leeds,England;Bristol,England;Cambridge,England;Edinburgh,Scotland;Glasgow,Scotland;Cardiff,Wales;Belfast,Northern Ireland
DE 55 Berlin,Berlin;München,Bayern;Nürnberg,Bayern;Hamburg,Hamburg;Köln,Nordrhein-Westfalen;Düsseldorf,Nordrhein-Westfalen;Frankfurt am Main,Hessen;Stuttgart,Baden-Württemberg;Leipzig,Sachsen;Dresden,Sachsen;Hannover,Niedersachsen
FR 45 Paris,Île-de-France;Lyon,Auvergne-Rhône-Alpes;Marseille,Provence-Alpes-Côte d'Azur;Toulouse,Occitanie;Nantes,Pays de la Loire;Bordeaux,Nouvelle-Aquitaine;Lille,Hauts-de-France;Strasbourg,Grand Est;Rennes,Bretagne
CA 40 Toronto,Ontario;Ottawa,Ontario;Montréal,Québec;Québec,Québec;Vancouver,British Columbia;Calgary,Alberta;Edmonton,Alberta;Winnipeg,Manitoba;Halifax,Nova Scotia
IN 55 Mumbai,Maharashtra;Pune,Maharashtra;Bengaluru,Karnataka;Delhi,Delhi;Hyderabad,Telangana;Chennai,Tamil Nadu;Kolkata,West Bengal;Ahmedabad,Gujarat;Jaipur,Rajasthan;Kochi,Kerala
CN 20 北京,北京市;上海,上海市;深圳,广东省;广州,广东省;杭州,浙江省;成都,四川省;武汉,湖北省;南京,江苏省;西安,陕西省
JP 30 東京,東京都;大阪,大阪府;名古屋,愛知県;札幌,北海道;福岡,福岡県;横浜,神奈川県;京都,京都府;仙台,宮城県
KR 12 서울,서울특별시;부산,부산광역시;인천,인천광역시;대구,대구광역시;대전,대전광역시;수원,경기도
BR 35 São Paulo,São Paulo;Campinas,São Paulo;Rio de Janeiro,Rio de Janeiro;Belo Horizonte,Minas Gerais;Curitiba,Paraná;Porto Alegre,Rio Grande do Sul;Recife,Pernambuco;Salvador,Bahia;Brasília,Distrito Federal;Florianópolis,Santa Catarina
MX 20 Ciudad de México,Ciudad de México;Guadalajara,Jalisco;Monterrey,Nuevo León;Puebla,Puebla;Querétaro,Querétaro;Mérida,Yucatán;Tijuana,Baja California
ES 25 Madrid,Madrid;Barcelona,Cataluña;Valencia,Comunidad Valenciana;Sevilla,Andalucía;Málaga,Andalucía;Bilbao,País Vasco;Zaragoza,Aragón;A Coruña,Galicia
IT 25 Milano,Lombardia;Roma,Lazio;Torino,Piemonte;Napoli,Campania;Bologna,Emilia-Romagna;Firenze,Toscana;Venezia,Veneto;Palermo,Sicilia
NL 25 Amsterdam,Noord-Holland;Rotterdam,Zuid-Holland;Den Haag,Zuid-Holland;Utrecht,Utrecht;Eindhoven,Noord-Brabant;Groningen,Groningen
AU 25 Sydney,New South Wales;Melbourne,Victoria;Brisbane,Queensland;Perth,Western Australia;Adelaide,South Australia;Canberra,Australian Capital Territory;Hobart,Tasmania
RU 6 Москва,Москва;Санкт-Петербург,Санкт-Петербург;Новосибирск,Новосибирская область;Екатеринбург,Свердловская область;Казань,Татарстан
PL 15 Warszawa,Mazowieckie;Kraków,Małopolskie;Wrocław,Dolnośląskie;Poznań,Wielkopolskie;Gdańsk,Pomorskie;Łódź,Łódzkie
SE 15 Stockholm,Stockholms län;Göteborg,Västra Götaland;Malmö,Skåne;Uppsala,Uppsala län;Linköping,Östergötland
NO 8 Oslo,Oslo;Bergen,Vestland;Trondheim,Trøndelag;Stavanger,Rogaland
DK 8 København,Hovedstaden;Aarhus,Midtjylland;Odense,Syddanmark;Aalborg,Nordjylland
FI 8 Helsinki,Uusimaa;Tampere,Pirkanmaa;Turku,Varsinais-Suomi;Jyväskylä,Keski-Suomi
CH 12 Zürich,Zürich;Genève,Genève;Basel,Basel-Stadt;Bern,Bern;Lausanne,Vaud;Lugano,Ticino
AT 8 Wien,Wien;Graz,Steiermark;Linz,Oberösterreich;Salzburg,Salzburg;Innsbruck,Tirol
BE 10 Bruxelles,Bruxelles;Antwerpen,Vlaanderen;Gent,Vlaanderen;Liège,Wallonie
PT 8 Lisboa,Lisboa;Porto,Porto;Braga,Braga;Coimbra,Coimbra
IE 10 Dublin,Leinster;Cork,Munster;Galway,Connacht
UA 6 Київ,Київ;Львів,Львівська область;Харків,Харківська область;Одеса,Одеська область
CZ 5 Praha,Praha;Brno,Jihomoravský kraj;Ostrava,Moravskoslezský kraj;Plzeň,Plzeňský kraj
GR 5 Αθήνα,Αττική;Θεσσαλονίκη,Κεντρική Μακεδονία;Πάτρα,Δυτική Ελλάδα;Ηράκλειο,Κρήτη
TR 8 İstanbul,İstanbul;Ankara,Ankara;İzmir,İzmir;Bursa,Bursa;Antalya,Antalya
IL 8 תל אביב,מחוז תל אביב;ירושלים,מחוז ירושלים;חיפה,מחוז חיפה
AE 8 دبي,دبي;أبو ظبي,أبو ظبي;الشارقة,الشارقة
SA 5 الرياض,منطقة الرياض;جدة,منطقة مكة المكرمة;الدمام,المنطقة الشرقية
EG 5 القاهرة,محافظة القاهرة;الإسكندرية,محافظة الإسكندرية;الجيزة,محافظة الجيزة
ZA 8 Johannesburg,Gauteng;Pretoria,Gauteng;Cape Town,Western Cape;Durban,KwaZulu-Natal
NG 8 Lagos,Lagos;Abuja,Federal Capital Territory;Kano,Kano;Port Harcourt,Rivers
KE 4 Nairobi,Nairobi;Mombasa,Mombasa;Kisumu,Kisumu
ID 6 Jakarta,DKI Jakarta;Surabaya,Jawa Timur;Bandung,Jawa Barat;Medan,Sumatera Utara;Denpasar,Bali
TH 5 กรุงเทพมหานคร,กรุงเทพมหานคร;เชียงใหม่,เชียงใหม่;ภูเก็ต,ภูเก็ต
VN 5 Hà Nội,Hà Nội;Thành phố Hồ Chí Minh,Thành phố Hồ Chí Minh;Đà Nẵng,Đà Nẵng
PH 6 Manila,Metro Manila;Quezon City,Metro Manila;Cebu City,Cebu;Davao City,Davao del Sur
MY 5 Kuala Lumpur,Kuala Lumpur;George Town,Pulau Pinang;Johor Bahru,Johor
AR 8 Buenos Aires,Buenos Aires;Córdoba,Córdoba;Rosario,Santa Fe;Mendoza,Mendoza
CO 6 Bogotá,Bogotá;Medellín,Antioquia;Cali,Valle del Cauca;Barranquilla,Atlántico
CL 5 Santiago,Región Metropolitana;Valparaíso,Valparaíso;Concepción,Biobío
PE 3 Lima,Lima;Arequipa,Arequipa;Trujillo,La Libertad
NZ 5 Auckland,Auckland;Wellington,Wellington;Christchurch,Canterbury
TW 4 台北市,台北市;台中市,台中市;高雄市,高雄市
HU 4 Budapest,Budapest;Debrecen,Hajdú-Bihar;Szeged,Csongrád-Csanád
RO 5 București,București;Cluj-Napoca,Cluj;Timișoara,Timiș;Iași,Iași
PK 4 Karachi,Sindh;Lahore,Punjab;Islamabad,Islamabad
BD 3 ঢাকা,ঢাকা;চট্টগ্রাম,চট্টগ্রাম`;

/** `CODE city;city`: the rest. */
const SMALLER =
  ('AD Andorra|AF Kabul|AG Antigua|AI Anguilla|AL Tirane|AM Yerevan|AO Luanda|AQ McMurdo;Casey;Davis|AS Pago Pago|AW Aruba|AX Mariehamn|AZ Baku|BA Sarajevo|BB Barbados|BF Ouagadougou|' +
    'BG Sofia|BH Bahrain|BI Bujumbura|BJ Porto-Novo|BL St Barthelemy|BM Bermuda|BN Brunei|BO La Paz|BQ Kralendijk|BS Nassau|BT Thimphu|BV Nyrøysa|BW Gaborone|BY Minsk|BZ Belize|' +
    'CC Cocos|CD Kinshasa;Lubumbashi|CF Bangui|CG Brazzaville|CI Abidjan|CK Rarotonga|CM Douala|CR Costa Rica|CU Havana|CV Cape Verde|CW Curacao|CX Christmas|CY Nicosia;Famagusta|' +
    'DJ Djibouti|DM Dominica|DO Santo Domingo|DZ Algiers|EC Guayaquil;Galapagos|EE Tallinn|EH El Aaiun|ER Asmara|ET Addis Ababa|FJ Fiji|FK Stanley|FM Chuuk;Pohnpei;Kosrae|FO Faroe|' +
    'GA Libreville|GD Grenada|GE Tbilisi|GF Cayenne|GG Guernsey|GH Accra|GI Gibraltar|GL Nuuk;Danmarkshavn;Scoresbysund|GM Banjul|GN Conakry|GP Guadeloupe|GQ Malabo|GS South Georgia|' +
    'GT Guatemala|GU Guam|GW Bissau|GY Guyana|HK Hong Kong|HM Atlas Cove|HN Tegucigalpa|HR Zagreb|HT Port-au-Prince|IM Isle of Man|IO Chagos|IQ Baghdad|IR Tehran|IS Reykjavik|' +
    'JE Jersey|JM Jamaica|JO Amman|KG Bishkek|KH Phnom Penh|KI Tarawa;Kanton;Kiritimati|KM Comoro|KN St Kitts|KP Pyongyang|KW Kuwait|KY Cayman|KZ Almaty;Qyzylorda;Qostanay|' +
    'LA Vientiane|LB Beirut|LC St Lucia|LI Vaduz|LK Colombo|LR Monrovia|LS Maseru|LT Vilnius|LU Luxembourg|LV Riga|LY Tripoli|MA Casablanca|MC Monaco|MD Chisinau|ME Podgorica|' +
    'MF Marigot|MG Antananarivo|MH Majuro;Kwajalein|MK Skopje|ML Bamako|MM Yangon|MN Ulaanbaatar;Hovd|MO Macau|MP Saipan|MQ Martinique|MR Nouakchott|MS Montserrat|MT Malta|' +
    'MU Mauritius|MV Maldives|MW Blantyre|MZ Maputo|NA Windhoek|NC Noumea|NE Niamey|NF Norfolk|NI Managua|NP Kathmandu|NR Nauru|NU Niue|OM Muscat|PA Panama|PF Tahiti;Marquesas;Gambier|' +
    'PG Port Moresby;Bougainville|PM Miquelon|PN Pitcairn|PR Puerto Rico|PS Gaza;Hebron|PW Palau|PY Asuncion|QA Qatar|RE Reunion|RS Belgrade|RW Kigali|SB Guadalcanal|SC Mahe|' +
    'SD Khartoum|SG Singapore|SH St Helena|SI Ljubljana|SJ Longyearbyen|SK Bratislava|SL Freetown|SM San Marino|SN Dakar|SO Mogadishu|SR Paramaribo|SS Juba|ST Sao Tome|SV El Salvador|' +
    'SX Lower Princes|SY Damascus|SZ Mbabane|TC Grand Turk|TD Ndjamena|TF Kerguelen|TG Lome|TJ Dushanbe|TK Fakaofo|TL Dili|TM Ashgabat|TN Tunis|TO Tongatapu|TT Port of Spain|' +
    'TV Funafuti|TZ Dar es Salaam|UG Kampala|UM Midway;Wake|UY Montevideo|UZ Samarkand;Tashkent|VA Vatican|VC St Vincent|VE Caracas|VG Tortola|VI St Thomas|VU Efate|WF Wallis|WS Apia|' +
    'YE Aden|YT Mayotte|ZM Lusaka|ZW Harare').split('|');

export type Place = { readonly city: string; readonly region: string | null };
/** Of all rows. */
export const US_PERCENT = 30;

export type Country = { readonly code: string; readonly weight: number; readonly places: readonly Place[] };

const place = (text: string): Place => {
  const [city, region = null] = text.split(',');
  return { city: city!, region };
};

/** Every country of ISO 3166-1, with some of its places. */
export const COUNTRIES: readonly Country[] = [
  ...LARGER.split('\n').map((line) => {
    const [, code, weight, places] = /^(\w\w) (\d+) (.+)$/.exec(line)!;
    return { code: code!, weight: Number(weight), places: places!.split(';').map(place) };
  }),
  ...SMALLER.map((entry) => ({ code: entry.slice(0, 2), weight: 1, places: entry.slice(3).split(';').map(place) })),
];

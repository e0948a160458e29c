/** ISO 3166-1 alpha-2 and alpha-3 side by side. */
const PAIRS =
  'ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD BEBEL BFBFA ' +
  'BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG ' +
  'CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU ' +
  'EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL ' +
  'GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD ' +
  'IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO ' +
  'LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG ' +
  'MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL ' +
  'NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU ' +
  'RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV ' +
  'SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA ' +
  'UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE';

export const ISO3_CODES: ReadonlyMap<string, string> = new Map(PAIRS.split(' ').map((pair) => [pair.slice(2), pair.slice(0, 2)]));

/** Official, short, former and own names, with which `Intl` does not serve; of names that two countries share the first here has it. */
const NAMES =
  `AD|Principality of Andorra|Andorra
AE|UAE|U.A.E.|Emirates|Dubai|Abu Dhabi|United Arab Emirates|VAE|Emiratos Árabes|Émirats|阿联酋|阿聯酋|阿拉伯联合酋长国
AF|افغانستان|Islamic Republic of Afghanistan|Afghanistan
AG|Antigua and Barbuda
AI|Anguilla
AL|Shqiperia|Republic of Albania|Albania
AM|Hayastan|Հայաստան|Republic of Armenia|Armenia
AO|Republic of Angola|Angola
AQ|Antarctica
AR|Argentine Republic|Argentina
AS|American Samoa
AT|Austria|Republic of Austria|Oesterreich|A
AU|Australia
AW|Aruba
AX|Åland|Åland Islands
AZ|Azərbaycan|Republic of Azerbaijan|Azerbaijan
BA|Bosnia|Bosnia Herzegovina|Bosnia and Herzegovina|Republic of Bosnia and Herzegovina|Bosnien|Bosnien-Herzegowina
BB|Barbados
BD|বাংলাদেশ|People's Republic of Bangladesh|Bangladesh
BE|Kingdom of Belgium|Belgium
BF|Burkina Faso
BG|България|Republic of Bulgaria|Bulgaria
BH|Kingdom of Bahrain|Bahrain
BI|Republic of Burundi|Burundi
BJ|Republic of Benin|Benin
BL|Saint Barthélemy
BM|Bermuda
BN|Brunei|Brunei Darussalam
BO|Bolivia|Plurinational State of Bolivia|Bolivia, Plurinational State of
BQ|Bonaire|Caribbean Netherlands|Bonaire, Sint Eustatius and Saba
BR|Federative Republic of Brazil|Brazil
BS|Bahamas|Commonwealth of the Bahamas
BT|འབྲུག|Kingdom of Bhutan|Bhutan
BV|Bouvet Island
BW|Republic of Botswana|Botswana
BY|Беларусь|Republic of Belarus|Belarus|Weißrussland|Белоруссия
BZ|Belize
CA|Canada
CC|Cocos (Keeling) Islands
CD|Congo Kinshasa|DR Congo|DRC|Congo DR|Congo Dem Rep|Democratic Republic of Congo|Zaire|Congo (DRC)|Congo, The Democratic Republic of the|RDC
CF|Central African Republic|CAR
CG|Congo|Congo Brazzaville|Republic of the Congo|Congo Rep|Congo, Republic of
CH|Switzerland|Schweiz|Suisse|Svizzera|Swiss|Swiss Confederation
CI|Ivory Coast|Cote d Ivoire|Republic of Côte d'Ivoire|Côte d'Ivoire|Elfenbeinküste
CK|Cook Islands
CL|Republic of Chile|Chile
CM|Republic of Cameroon|Cameroon
CN|China|PR China|P.R. China|Mainland China|People's Republic of China|PRC|VR China|Volksrepublik China|中国大陆|中國大陸|中华人民共和国|中華人民共和國|КНР
CO|Republic of Colombia|Colombia
CR|Republic of Costa Rica|Costa Rica
CU|Republic of Cuba|Cuba
CV|Cape Verde|Cabo Verde|Republic of Cabo Verde
CW|Curacao|Curaçao
CX|Christmas Island
CY|Republic of Cyprus|Cyprus
CZ|Czech Republic|Czechia|Czech Rep|Ceska|Tschechische Republik|República Checa|République tchèque|Česká republika|ČR
DE|Germany|BRD|Deutschland|Federal Republic of Germany|Bundesrepublik Deutschland|GER|D
DJ|Republic of Djibouti|Djibouti
DK|Kingdom of Denmark|Denmark
DM|Commonwealth of Dominica|Dominica
DO|Dominican Republic|Dominican Rep.
DZ|People's Democratic Republic of Algeria|Algeria
EC|Republic of Ecuador|Ecuador
EE|Eesti|Republic of Estonia|Estonia
EG|Arab Republic of Egypt|Egypt|Egypt, Arab Rep.
EH|Western Sahara
ER|the State of Eritrea|Eritrea
ES|Kingdom of Spain|Spain
ET|ኢትዮጵያ|Federal Democratic Republic of Ethiopia|Ethiopia
FI|Republic of Finland|Finland
FJ|Republic of Fiji|Fiji
FK|Falkland Islands|Falklands|Malvinas|Falkland Islands (Malvinas)
FM|Micronesia|Federated States of Micronesia|Micronesia, Federated States of
FO|Føroyar|Faroe Islands
FR|French Republic|France|France métropolitaine|Metropolitan France
GA|Gabonese Republic|Gabon
GB|Great Britain|Britain|England|Scotland|Wales|Northern Ireland|U.K.|United Kingdom of Great Britain|UK & Northern Ireland|United Kingdom of Great Britain and Northern Ireland|United Kingdom|Großbritannien|Angleterre|Grande-Bretagne|Écosse|Inglaterra|Gran Bretaña|Gran Bretagna|Inghilterra|Groot-Brittannië|Engeland|Grã-Bretanha|Schottland|Englanti|Anglia|Англия|İngiltere|Velká Británie
GD|Grenada
GE|საქართველო|Georgia
GF|French Guiana
GG|Guernsey
GH|Republic of Ghana|Ghana
GI|Gibraltar
GL|Kalaallit Nunaat|Greenland
GM|Gambia|Republic of the Gambia
GN|Republic of Guinea|Guinea
GP|Guadeloupe
GQ|Equatorial Guinea|Republic of Equatorial Guinea
GR|Greece|Hellas|Hellenic Republic
GS|South Georgia and the South Sandwich Islands
GT|Republic of Guatemala|Guatemala
GU|Guam
GW|Republic of Guinea-Bissau|Guinea-Bissau
GY|Republic of Guyana|Guyana
HK|Hong Kong|Hong Kong SAR|Hongkong|Hong Kong Special Administrative Region of China|香港
HM|Heard Island and McDonald Islands
HN|Republic of Honduras|Honduras
HR|Hrvatska|Republic of Croatia|Croatia
HT|Republic of Haiti|Haiti
HU|Hungary
ID|Republic of Indonesia|Indonesia
IE|Ireland|Republic of Ireland|Eire|Ireland, Republic of
IL|ישראל|State of Israel|Israel
IM|Isle of Man|Man Isle of
IN|India|Bharat|Hindustan|Republic of India
IO|British Indian Ocean Territory
IQ|Republic of Iraq|Iraq
IR|Iran|ایران|Islamic Republic of Iran|Iran, Islamic Republic of
IS|Island|Republic of Iceland|Iceland
IT|Italian Republic|Italy
JE|Jersey
JM|Jamaica
JO|Hashemite Kingdom of Jordan|Jordan
JP|Japan|日本国
KE|Republic of Kenya|Kenya
KG|Kyrgyzstan|Kirghizia|Kyrgyz Republic
KH|កម្ពុជា|Kingdom of Cambodia|Cambodia
KI|Republic of Kiribati|Kiribati
KM|Union of the Comoros|Comoros
KN|Saint Kitts|St Kitts and Nevis|Saint Kitts and Nevis
KP|North Korea|DPRK|Korea North|Democratic People's Republic of Korea|Korea, Democratic People's Republic of
KR|South Korea|Korea|Republic of Korea|Korea South|Korea Rep|Korea, Republic of|한국|韓國|Corée|Corea|Republik Korea|République de Corée
KW|State of Kuwait|Kuwait
KY|Cayman Islands
KZ|Қазақстан|Republic of Kazakhstan|Kazakhstan
LA|Laos|ລາວ|Lao People's Democratic Republic|Lao PDR
LB|Lebanese Republic|Lebanon
LC|St Lucia|Saint Lucia
LI|Principality of Liechtenstein|Liechtenstein|Fürstentum Liechtenstein
LK|ශ්‍රී ලංකාව|Democratic Socialist Republic of Sri Lanka|Sri Lanka
LR|Republic of Liberia|Liberia
LS|Kingdom of Lesotho|Lesotho
LT|Lietuva|Republic of Lithuania|Lithuania
LU|Grand Duchy of Luxembourg|Luxembourg
LV|Latvija|Republic of Latvia|Latvia
LY|Libya
MA|Kingdom of Morocco|Morocco
MC|Principality of Monaco|Monaco
MD|Moldova|Moldavia|Republic of Moldova|Moldova, Republic of|Moldawien
ME|Crna Gora|Montenegro
MF|Saint Martin|St Martin|Saint Martin (French part)
MG|Republic of Madagascar|Madagascar
MH|Republic of the Marshall Islands|Marshall Islands
MK|Macedonia|FYROM|North Macedonia|Republic of Macedonia|Republic of North Macedonia|Mazedonien
ML|Republic of Mali|Mali
MM|Burma|Myanmar|မြန်မာ|Republic of Myanmar
MN|Монгол|Mongolia
MO|Macau|Macao|Macau SAR|Macao Special Administrative Region of China|澳门|澳門
MP|Commonwealth of the Northern Mariana Islands|Northern Mariana Islands
MQ|Martinique
MR|Islamic Republic of Mauritania|Mauritania
MS|Montserrat
MT|Republic of Malta|Malta
MU|Republic of Mauritius|Mauritius
MV|ދިވެހިރާއްޖެ|Republic of Maldives|Maldives
MW|Republic of Malawi|Malawi
MX|United Mexican States|Mexico|Méjico
MY|Malaysia
MZ|Republic of Mozambique|Mozambique
NA|Republic of Namibia|Namibia
NC|New Caledonia
NE|Republic of the Niger|Niger
NF|Norfolk Island
NG|Federal Republic of Nigeria|Nigeria
NI|Republic of Nicaragua|Nicaragua
NL|Holland|The Netherlands|Netherlands|Kingdom of the Netherlands|Holanda|Hollande|Olanda
NO|Kingdom of Norway|Norway
NP|नेपाल|Federal Democratic Republic of Nepal|Nepal
NR|Republic of Nauru|Nauru
NU|Niue
NZ|New Zealand|Aotearoa
OM|Sultanate of Oman|Oman
PA|Republic of Panama|Panama
PE|Republic of Peru|Peru
PF|French Polynesia
PG|Papua New Guinea|PNG|Independent State of Papua New Guinea
PH|Philippines|Filipinas|Pilipinas|Republic of the Philippines
PK|پاکستان|Islamic Republic of Pakistan|Pakistan
PL|Republic of Poland|Poland
PM|Saint Pierre and Miquelon
PN|Pitcairn
PR|Puerto Rico
PS|Palestine|Palestinian Territory|West Bank and Gaza|Gaza|the State of Palestine|Palestine, State of
PT|Portuguese Republic|Portugal
PW|Republic of Palau|Palau
PY|Republic of Paraguay|Paraguay
QA|State of Qatar|Qatar
RE|Reunion Island|Réunion
RO|Romania
RS|Srbija|Србија|Republic of Serbia|Serbia
RU|Russia|Russian Federation|Russische Föderation|РФ|Российская Федерация
RW|Rwandese Republic|Rwanda
SA|Saudi|Saudi Arabia|KSA|Kingdom of Saudi Arabia|السعودية
SB|Solomon Islands
SC|Republic of Seychelles|Seychelles
SD|Republic of the Sudan|Sudan
SE|Kingdom of Sweden|Sweden
SG|Republic of Singapore|Singapore
SH|Saint Helena, Ascension and Tristan da Cunha
SI|Slovenija|Republic of Slovenia|Slovenia
SJ|Svalbard and Jan Mayen
SK|Slovakia|Slovak Republic|Slowakische Republik
SL|Republic of Sierra Leone|Sierra Leone
SM|Republic of San Marino|San Marino
SN|Republic of Senegal|Senegal
SO|Federal Republic of Somalia|Somalia
SR|Republic of Suriname|Suriname
SS|Republic of South Sudan|South Sudan
ST|Sao Tome|Democratic Republic of Sao Tome and Principe|Sao Tome and Principe
SV|Republic of El Salvador|El Salvador
SX|Sint Maarten|St Maarten|Sint Maarten (Dutch part)
SY|Syria|Syrian Arab Republic
SZ|Swaziland|Eswatini|Kingdom of Eswatini
TC|Turks and Caicos Islands
TD|Republic of Chad|Chad
TF|French Southern Territories
TG|Togolese Republic|Togo
TH|Kingdom of Thailand|Thailand
TJ|Republic of Tajikistan|Tajikistan
TK|Tokelau
TL|East Timor|Timor Leste|Democratic Republic of Timor-Leste|Timor-Leste
TM|Turkmenistan
TN|Republic of Tunisia|Tunisia
TO|Kingdom of Tonga|Tonga
TR|Turkey|Turkiye|Republic of Türkiye|Türkiye|Türkiye Cumhuriyeti
TT|Trinidad|Trinidad and Tobago|Republic of Trinidad and Tobago
TV|Tuvalu
TW|Taiwan|Taiwan ROC|Republic of China|Chinese Taipei|Taiwan, Province of China|臺灣
TZ|Tanzania|United Republic of Tanzania|Tanzania, United Republic of
UA|Ukraine
UG|Republic of Uganda|Uganda
UM|United States Minor Outlying Islands
US|USA|U.S.|U.S.A.|United States of America|America|Estados Unidos de America|EE.UU.|EEUU|Etats Unis d Amerique|United States|Vereinigte Staaten von Amerika|Stati Uniti d'America|Förenta staterna|США|EUA|アメリカ|米国|Amerika|Spojené státy americké|Estados Unidos da América
UY|Eastern Republic of Uruguay|Uruguay
UZ|O'zbekiston|Republic of Uzbekistan|Uzbekistan
VA|Vatican|Vatican City|Holy See|Holy See (Vatican City State)
VC|St Vincent and the Grenadines|Saint Vincent|Saint Vincent and the Grenadines
VE|Venezuela|Bolivarian Republic of Venezuela|Venezuela, Bolivarian Republic of
VG|British Virgin Islands|BVI|Virgin Islands British|Virgin Islands, British
VI|US Virgin Islands|USVI|Virgin Islands US|Virgin Islands of the United States|Virgin Islands, U.S.
VN|Vietnam|Viet Nam|Socialist Republic of Viet Nam
VU|Republic of Vanuatu|Vanuatu
WF|Wallis and Futuna
WS|Independent State of Samoa|Samoa
YE|Republic of Yemen|Yemen|Yemen, Rep.
YT|Mayotte
ZA|South Africa|RSA|Republic of South Africa
ZM|Republic of Zambia|Zambia
ZW|Republic of Zimbabwe|Zimbabwe`;

export const COUNTRY_ALIASES: readonly (readonly [code: string, names: readonly string[]])[] = NAMES.split('\n').map((line) => {
  const [code, ...names] = line.split('|');
  return [code!.trim(), names];
});

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

/** Official, short, former and own names beside those that `Intl` has in English; of names that two countries share the first here has it. */
const NAMES =
  `AD|Principality of Andorra
AE|UAE|U.A.E.|Emirates|Dubai|Abu Dhabi|VAE|Emiratos Árabes|Émirats|阿联酋|阿聯酋|阿拉伯联合酋长国
AF|افغانستان|Islamic Republic of Afghanistan
AL|Shqiperia|Republic of Albania
AM|Hayastan|Հայաստան|Republic of Armenia
AO|Republic of Angola
AR|Argentine Republic
AT|Republic of Austria|Oesterreich|A
AX|Åland
AZ|Azərbaycan|Republic of Azerbaijan
BA|Bosnia|Republic of Bosnia and Herzegovina|Bosnien|Bosnien-Herzegowina
BD|বাংলাদেশ|People's Republic of Bangladesh
BE|Kingdom of Belgium
BG|България|Republic of Bulgaria
BH|Kingdom of Bahrain
BI|Republic of Burundi
BJ|Republic of Benin
BL|Saint Barthélemy
BN|Brunei Darussalam
BO|Plurinational State of Bolivia|Bolivia, Plurinational State of
BQ|Bonaire|Bonaire, Sint Eustatius and Saba
BR|Federative Republic of Brazil
BS|Commonwealth of the Bahamas
BT|འབྲུག|Kingdom of Bhutan
BW|Republic of Botswana
BY|Беларусь|Republic of Belarus|Weißrussland|Белоруссия
CD|DR Congo|DRC|Congo DR|Congo Dem Rep|Democratic Republic of Congo|Zaire|Congo (DRC)|Congo, The Democratic Republic of the|RDC
CF|CAR
CG|Congo|Republic of the Congo|Congo Rep|Congo, Republic of
CH|Schweiz|Suisse|Svizzera|Swiss|Swiss Confederation
CI|Ivory Coast|Republic of Côte d'Ivoire|Elfenbeinküste
CL|Republic of Chile
CM|Republic of Cameroon
CN|PR China|P.R. China|Mainland China|People's Republic of China|PRC|VR China|Volksrepublik China|中国大陆|中國大陸|中华人民共和国|中華人民共和國|КНР
CO|Republic of Colombia
CR|Republic of Costa Rica
CU|Republic of Cuba
CV|Cabo Verde|Republic of Cabo Verde
CY|Republic of Cyprus
CZ|Czech Republic|Czech Rep|Ceska|Tschechische Republik|República Checa|République tchèque|Česká republika|ČR
DE|BRD|Deutschland|Federal Republic of Germany|Bundesrepublik Deutschland|GER|D
DJ|Republic of Djibouti
DK|Kingdom of Denmark
DM|Commonwealth of Dominica
DO|Dominican Rep.
DZ|People's Democratic Republic of Algeria
EC|Republic of Ecuador
EE|Eesti|Republic of Estonia
EG|Arab Republic of Egypt|Egypt, Arab Rep.
ER|the State of Eritrea
ES|Kingdom of Spain
ET|ኢትዮጵያ|Federal Democratic Republic of Ethiopia
FI|Republic of Finland
FJ|Republic of Fiji
FK|Falklands|Malvinas|Falkland Islands (Malvinas)
FM|Federated States of Micronesia|Micronesia, Federated States of
FO|Føroyar
FR|French Republic|France métropolitaine|Metropolitan France
GA|Gabonese Republic
GB|Great Britain|Britain|England|Scotland|Wales|Northern Ireland|U.K.|United Kingdom of Great Britain|UK & Northern Ireland|United Kingdom of Great Britain and Northern Ireland|Großbritannien|Angleterre|Grande-Bretagne|Écosse|Inglaterra|Gran Bretaña|Gran Bretagna|Inghilterra|Groot-Brittannië|Engeland|Grã-Bretanha|Schottland|Englanti|Anglia|Англия|İngiltere|Velká Británie
GE|საქართველო
GH|Republic of Ghana
GL|Kalaallit Nunaat
GM|Republic of the Gambia
GN|Republic of Guinea
GQ|Republic of Equatorial Guinea
GR|Hellas|Hellenic Republic
GT|Republic of Guatemala
GW|Republic of Guinea-Bissau
GY|Republic of Guyana
HK|Hong Kong|Hong Kong SAR|Hongkong|Hong Kong Special Administrative Region of China|香港
HM|Heard Island and McDonald Islands
HN|Republic of Honduras
HR|Hrvatska|Republic of Croatia
HT|Republic of Haiti
ID|Republic of Indonesia
IE|Republic of Ireland|Eire|Ireland, Republic of
IL|ישראל|State of Israel
IM|Man Isle of
IN|Bharat|Hindustan|Republic of India
IQ|Republic of Iraq
IR|ایران|Islamic Republic of Iran|Iran, Islamic Republic of
IS|Island|Republic of Iceland
IT|Italian Republic
JO|Hashemite Kingdom of Jordan
JP|日本国
KE|Republic of Kenya
KG|Kirghizia|Kyrgyz Republic
KH|កម្ពុជា|Kingdom of Cambodia
KI|Republic of Kiribati
KM|Union of the Comoros
KN|Saint Kitts|Saint Kitts and Nevis
KP|DPRK|Korea North|Democratic People's Republic of Korea|Korea, Democratic People's Republic of
KR|Korea|Republic of Korea|Korea South|Korea Rep|Korea, Republic of|한국|韓國|Corée|Corea|Republik Korea|République de Corée
KW|State of Kuwait
KZ|Қазақстан|Republic of Kazakhstan
LA|ລາວ|Lao People's Democratic Republic|Lao PDR
LB|Lebanese Republic
LC|Saint Lucia
LI|Principality of Liechtenstein|Fürstentum Liechtenstein
LK|ශ්‍රී ලංකාව|Democratic Socialist Republic of Sri Lanka
LR|Republic of Liberia
LS|Kingdom of Lesotho
LT|Lietuva|Republic of Lithuania
LU|Grand Duchy of Luxembourg
LV|Latvija|Republic of Latvia
MA|Kingdom of Morocco
MC|Principality of Monaco
MD|Moldavia|Republic of Moldova|Moldova, Republic of|Moldawien
ME|Crna Gora
MF|Saint Martin|Saint Martin (French part)
MG|Republic of Madagascar
MH|Republic of the Marshall Islands
MK|Macedonia|FYROM|Republic of Macedonia|Republic of North Macedonia|Mazedonien
ML|Republic of Mali
MM|Burma|Myanmar|မြန်မာ|Republic of Myanmar
MN|Монгол
MO|Macau|Macao|Macau SAR|Macao Special Administrative Region of China|澳门|澳門
MP|Commonwealth of the Northern Mariana Islands
MR|Islamic Republic of Mauritania
MT|Republic of Malta
MU|Republic of Mauritius
MV|ދިވެހިރާއްޖެ|Republic of Maldives
MW|Republic of Malawi
MX|United Mexican States|Méjico
MZ|Republic of Mozambique
NA|Republic of Namibia
NE|Republic of the Niger
NG|Federal Republic of Nigeria
NI|Republic of Nicaragua
NL|Holland|Kingdom of the Netherlands|Holanda|Hollande|Olanda
NO|Kingdom of Norway
NP|नेपाल|Federal Democratic Republic of Nepal
NR|Republic of Nauru
NZ|Aotearoa
OM|Sultanate of Oman
PA|Republic of Panama
PE|Republic of Peru
PG|PNG|Independent State of Papua New Guinea
PH|Filipinas|Pilipinas|Republic of the Philippines
PK|پاکستان|Islamic Republic of Pakistan
PL|Republic of Poland
PM|Saint Pierre and Miquelon
PN|Pitcairn
PS|Palestine|Palestinian Territory|West Bank and Gaza|Gaza|the State of Palestine|Palestine, State of
PT|Portuguese Republic
PW|Republic of Palau
PY|Republic of Paraguay
QA|State of Qatar
RE|Reunion Island
RS|Srbija|Србија|Republic of Serbia
RU|Russian Federation|Russische Föderation|РФ|Российская Федерация
RW|Rwandese Republic
SA|Saudi|KSA|Kingdom of Saudi Arabia|السعودية
SC|Republic of Seychelles
SD|Republic of the Sudan
SE|Kingdom of Sweden
SG|Republic of Singapore
SH|Saint Helena, Ascension and Tristan da Cunha
SI|Slovenija|Republic of Slovenia
SK|Slovak Republic|Slowakische Republik
SL|Republic of Sierra Leone
SM|Republic of San Marino
SN|Republic of Senegal
SO|Federal Republic of Somalia
SR|Republic of Suriname
SS|Republic of South Sudan
ST|Sao Tome|Democratic Republic of Sao Tome and Principe
SV|Republic of El Salvador
SX|St Maarten|Sint Maarten (Dutch part)
SY|Syrian Arab Republic
SZ|Swaziland|Kingdom of Eswatini
TD|Republic of Chad
TG|Togolese Republic
TH|Kingdom of Thailand
TJ|Republic of Tajikistan
TL|East Timor|Democratic Republic of Timor-Leste
TN|Republic of Tunisia
TO|Kingdom of Tonga
TR|Turkey|Republic of Türkiye|Türkiye Cumhuriyeti
TT|Trinidad|Republic of Trinidad and Tobago
TW|Taiwan ROC|Republic of China|Chinese Taipei|Taiwan, Province of China|臺灣
TZ|United Republic of Tanzania|Tanzania, United Republic of
UG|Republic of Uganda
UM|United States Minor Outlying Islands
US|USA|U.S.|U.S.A.|United States of America|America|Estados Unidos de America|EE.UU.|EEUU|Etats Unis d Amerique|Vereinigte Staaten von Amerika|Stati Uniti d'America|Förenta staterna|США|EUA|アメリカ|米国|Amerika|Spojené státy americké|Estados Unidos da América
UY|Eastern Republic of Uruguay
UZ|O'zbekiston|Republic of Uzbekistan
VA|Vatican|Holy See|Holy See (Vatican City State)
VC|Saint Vincent|Saint Vincent and the Grenadines
VE|Bolivarian Republic of Venezuela|Venezuela, Bolivarian Republic of
VG|BVI|Virgin Islands British|Virgin Islands UK|Virgin Islands United Kingdom
VI|US Virgin Islands|USVI|Virgin Islands US|Virgin Islands USA|Virgin Islands United States|Virgin Islands of the United States|Virgin Islands, U.S.
VN|Viet Nam|Socialist Republic of Viet Nam
VU|Republic of Vanuatu
WS|Independent State of Samoa
YE|Republic of Yemen|Yemen, Rep.
ZA|RSA|Republic of South Africa
ZM|Republic of Zambia
ZW|Republic of Zimbabwe`;

export const COUNTRY_ALIASES: readonly (readonly [code: string, names: readonly string[]])[] = NAMES.split('\n').map((line) => {
  const [code, ...names] = line.split('|');
  return [code!.trim(), names];
});

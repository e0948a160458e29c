/** Names of people by culture: `native/latin`, or the Latin form alone. `legal` are the forms of companies. */
type Culture = { readonly countries: string; readonly given: string; readonly family: string; readonly legal: string };

const CULTURES: readonly Culture[] = [
  {
    countries: 'US GB CA AU NZ IE JM BB BS BM TT GG JE IM GI KY VG VI AI AG DM GD KN LC VC MS TC BZ GY FJ PG SB GU AS MP PW MH FM KI TV NR NU CK NF PN SH FK GS IO UM HM CX CC SX TK TO WS VU',
    given: 'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy Matthew Betty Anthony Margaret Mark Sandra Steven Ashley Paul Kimberly Andrew Emily Joshua Donna Kenneth Michelle Kevin Carol Brian Amanda George Dorothy Timothy Melissa Ronald Deborah Jason Stephanie Edward Rebecca Jeffrey Sharon Ryan Laura Jacob Cynthia Nicholas Kathleen Eric Amy Jonathan Angela Justin Brenda Scott Emma Brandon Olivia Benjamin Grace Samuel Chloe Alexander Zoë Tyler Aaliyah Jamal Renée Malik Siobhán Connor Maya Ethan Priya Logan Mei Diego Sofia Omar Fatima',
    family: 'Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson Martin Lee Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Torres Hill Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Phillips Evans Turner Parker Collins Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Bell Gomez Kelly Howard Ward Cox Richardson Wood Watson Brooks Bennett Gray Price Hughes Myers Long Foster Sanders Ross Powell Sullivan Russell Jenkins Perry Butler Barnes Fisher Henderson Coleman Simmons Patterson Jordan Reynolds Hamilton Graham Wallace Griffin West Hayes Ford Gibson Ellis Marshall Murray Freeman Wells Webb Simpson Stevens Tucker Porter Hunter Hicks Crawford Boyd Mason Kennedy Warren Dixon Burns Gordon Shaw Holmes Rice Robertson Hunt Black Daniels Palmer Mills Grant Knight Ferguson Rose Stone Hawkins Dunn Perkins Hudson Spencer Gardner Payne Pierce Berry Matthews Arnold Wagner Willis Ray Watkins Olson Carroll Duncan Snyder Hart Cunningham Bradley Lane Andrews Ruiz Harper Fox Riley Armstrong Carpenter Weaver Greene Lawrence Elliott Chavez Sims Austin Peters Kelley Franklin Lawson O\'Brien O\'Neill McCarthy Okafor Patel Nguyen Kim Chen Garcia Rodriguez',
    legal: 'Inc|LLC|Group|Corp|Holdings|Ltd|Labs',
  },
  {
    countries: 'DE AT CH LI LU', legal: 'GmbH|AG|GmbH & Co. KG|SE|e.K.',
    given: 'Lukas Anna Jürgen Käthe Felix Lena Jörg Ursula Maximilian Sophie Günter Heike Stefan Sabine Tobias Petra Björn Antje Matthias Claudia Sören Annika Florian Katharina',
    family: 'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Krüger Hofmann Lehmann Köhler König Weiß Groß Böhm',
  },
  {
    countries: 'FR BE MC GF GP MQ RE YT PM MF BL NC PF WF TF SN CI ML BF NE TG BJ GA CG CD CM CF TD GN BI DJ KM MG HT', legal: 'SA|SAS|SARL|Groupe|& Fils',
    given: 'Jean Marie Luc Chloé Théo Léa Hugo Zoé François Hélène Jérôme Élise Noël Agnès Mathieu Inès Aurélien Céline Gaël Maëlle Moussa Aminata Ibrahima Fatou Koffi Awa',
    family: 'Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefèvre Michel Garcia Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Blanchet Diallo Traoré Ouédraogo Koné Ndiaye',
  },
  {
    countries: 'ES MX AR CO CL PE VE EC GT CU BO DO HN PY SV NI CR PA UY PR GQ AD', legal: 'S.A.|S.L.|S.A. de C.V.|Grupo|S.R.L.',
    given: 'José María Juan Lucía Andrés Sofía Ángel Inés Martín Elena Jesús Belén Álvaro Rocío Nicolás Camila Sebastián Valentina Joaquín Ximena Iñaki Nuria Raúl Mónica',
    family: 'García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Ramos Núñez Quiñones Peña',
  },
  {
    countries: 'PT BR AO MZ CV GW ST TL', legal: 'Ltda|S.A.|Lda|Grupo|EIRELI',
    given: 'João Ana Tiago Beatriz Luís Inês Rui Conceição Gonçalo Mariana Fábio Letícia Caetano Débora Vinícius Luísa Antônio Fátima Sérgio Patrícia',
    family: 'Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Jesus Sousa Fernandes Gonçalves Gomes Lopes Marques Alves Almeida Ribeiro Araújo Conceição Assunção Simões',
  },
  {
    countries: 'IT SM VA MT', legal: 'S.p.A.|S.r.l.|Gruppo|& C.',
    given: 'Marco Giulia Luca Chiara Niccolò Sofia Matteo Alice Andrea Francesca Davide Martina Alessandro Elisa Stefano Caterina',
    family: 'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti De_Luca Costa Giordano Mancini Rizzo Lombardi Moretti',
  },
  {
    countries: 'NL SR AW CW BQ', legal: 'B.V.|N.V.|Groep',
    given: 'Daan Emma Sem Julia Lucas Mila Bram Anouk Jeroen Fleur Ruben Sanne Thijs Lotte Joost Maaike',
    family: 'de Jong|Jansen|de Vries|van den Berg|van Dijk|Bakker|Janssen|Visser|Smit|Meijer|de Boer|Mulder|van der Meer|Hendriks|Dekker|Brouwer',
  },
  {
    countries: 'SE NO DK FI IS FO GL AX SJ BV', legal: 'AB|AS|A/S|Oy|ehf.',
    given: 'Björn Åsa Lars Ingrid Søren Mette Håkon Sigrid Jukka Päivi Mikael Annika Øystein Solveig Gunnar Freyja Väinö Aino Pär Malin',
    family: 'Andersson Johansson Nilsson Hansen Olsen Pedersen Sørensen Jørgensen Korhonen Virtanen Mäkinen Nieminen Lindström Åkesson Bergström Næss Ødegård Þórsdóttir Guðmundsson Kjær',
  },
  {
    countries: 'PL', legal: 'Sp. z o.o.|S.A.|Grupa', given: 'Paweł Agnieszka Łukasz Małgorzata Michał Katarzyna Grzegorz Zofia Stanisław Elżbieta Tomasz Wanda',
    family: 'Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Żak Świątek',
  },
  {
    countries: 'CZ SK SI HR BA ME', legal: 's.r.o.|a.s.|d.o.o.', given: 'Jiří Tereza Tomáš Lucie Ondřej Kateřina Luka Ana Marko Ivana Željko Maja Šimon Zuzana',
    family: 'Novák Svoboda Dvořák Černý Procházka Kučera Horvat Kovačević Babić Marić Novotný Jurić Krajíček Šimić',
  },
  { countries: 'HU', legal: 'Kft.|Zrt.|Nyrt.', given: 'Bence Anna Máté Zsófia Ádám Éva László Réka György Ágnes', family: 'Nagy Kovács Tóth Szabó Horváth Varga Kiss Molnár Németh Farkas Szűcs Győri' },
  { countries: 'RO MD', legal: 'S.R.L.|S.A.', given: 'Andrei Maria Ștefan Elena Mihai Ioana Răzvan Andreea Cătălin Mădălina', family: 'Popescu Ionescu Popa Pop Țurcanu Munteanu Rusu Stoica Dumitrescu Ceaușu Băsescu Gheorghiu' },
  { countries: 'TR CY AZ TM', legal: 'A.Ş.|Ltd. Şti.|Holding', given: 'Mehmet Ayşe Mustafa Fatma Ahmet Zeynep Çağlar Gülşen Ömer İpek Şükrü Özlem', family: 'Yılmaz Kaya Demir Şahin Çelik Yıldız Öztürk Aydın Özdemir Arslan Doğan Kılıç' },
  { countries: 'EE LV LT', legal: 'OÜ|SIA|UAB', given: 'Jānis Rūta Mindaugas Eglė Märt Kadri Andris Līga Tomas Ieva', family: 'Tamm Bērziņš Kazlauskas Ozoliņš Sepp Kalniņš Jankauskas Põder Liepiņš Petrauskas' },
  { countries: 'AL', legal: 'sh.p.k.', given: 'Arben Besa Ilir Drita Genc Teuta', family: 'Hoxha Shehu Gjoka Çela Dervishi Prifti' },
  {
    countries: 'RU BY KZ KG', legal: 'ООО|АО|ПАО',
    given: 'Александр/Aleksandr Анна/Anna Дмитрий/Dmitry Мария/Maria Сергей/Sergey Елена/Elena Иван/Ivan Ольга/Olga Алексей/Alexey Наталья/Natalia Максим/Maxim Юлия/Yulia',
    family: 'Иванов/Ivanov Смирнов/Smirnov Кузнецов/Kuznetsov Попов/Popov Васильев/Vasilyev Петров/Petrov Соколов/Sokolov Михайлов/Mikhailov Новиков/Novikov Фёдоров/Fyodorov Морозов/Morozov Волков/Volkov',
  },
  {
    countries: 'UA', legal: 'ТОВ|ПрАТ', given: 'Олександр/Oleksandr Олена/Olena Андрій/Andrii Ірина/Iryna Тарас/Taras Оксана/Oksana Юрій/Yurii Наталія/Nataliia',
    family: 'Мельник/Melnyk Шевченко/Shevchenko Бойко/Boiko Коваленко/Kovalenko Бондаренко/Bondarenko Ткаченко/Tkachenko Кравченко/Kravchenko Їжак/Yizhak',
  },
  {
    countries: 'BG RS MK', legal: 'ЕООД|д.о.о.|АД', given: 'Георги/Georgi Мария/Maria Никола/Nikola Јелена/Jelena Димитър/Dimitar Милица/Milica Стефан/Stefan Биљана/Biljana',
    family: 'Иванов/Ivanov Георгиев/Georgiev Јовановић/Jovanovic Петровић/Petrovic Димитров/Dimitrov Николић/Nikolic Стојановски/Stojanovski Ђорђевић/Djordjevic',
  },
  {
    countries: 'GR', legal: 'Α.Ε.|Ο.Ε.|S.A.', given: 'Γιώργος/Giorgos Μαρία/Maria Νίκος/Nikos Ελένη/Eleni Δημήτρης/Dimitris Κατερίνα/Katerina Κώστας/Kostas Σοφία/Sofia',
    family: 'Παπαδόπουλος/Papadopoulos Βλάχος/Vlachos Αγγελόπουλος/Angelopoulos Νικολαΐδης/Nikolaidis Γεωργίου/Georgiou Δημητρίου/Dimitriou Οικονόμου/Oikonomou Καραγιάννης/Karagiannis',
  },
  { countries: 'GE', legal: 'შპს', given: 'გიორგი/Giorgi ნინო/Nino დავით/Davit მარიამი/Mariam ლევან/Levan თამარ/Tamar', family: 'ბერიძე/Beridze კაპანაძე/Kapanadze გელაშვილი/Gelashvili მაისურაძე/Maisuradze ლომიძე/Lomidze' },
  { countries: 'AM', legal: 'ՍՊԸ', given: 'Արամ/Aram Անի/Ani Տիգրան/Tigran Մարիամ/Mariam Հայկ/Hayk', family: 'Հարությունյան/Harutyunyan Սարգսյան/Sargsyan Գրիգորյան/Grigoryan Պետրոսյան/Petrosyan' },
  {
    countries: 'SA AE EG QA KW BH OM JO LB SY IQ YE PS LY TN DZ MA SD MR EH', legal: 'LLC|Holding|Group|W.L.L.',
    given: 'محمد/Mohammed فاطمة/Fatima أحمد/Ahmed عائشة/Aisha علي/Ali مريم/Mariam يوسف/Youssef نور/Nour خالد/Khalid ليلى/Layla عمر/Omar هدى/Huda',
    family: 'الأحمد/Al-Ahmad العلي/Al-Ali حسن/Hassan الخطيب/Al-Khatib منصور/Mansour النجار/Al-Najjar الحداد/Haddad صالح/Saleh إبراهيم/Ibrahim السيد/El-Sayed بن_علي/Ben_Ali القرشي/Al-Qurashi',
  },
  { countries: 'IL', legal: 'בע"מ|Ltd.', given: 'דוד/David נועה/Noa יוסף/Yosef תמר/Tamar משה/Moshe שרה/Sarah אורי/Uri מאיה/Maya', family: 'כהן/Cohen לוי/Levi מזרחי/Mizrahi פרץ/Peretz ביטון/Biton אברהם/Avraham פרידמן/Friedman אזולאי/Azoulay' },
  { countries: 'IR AF TJ', legal: 'Co.|Group', given: 'علی/Ali زهرا/Zahra رضا/Reza مریم/Maryam حسین/Hossein نگار/Negar', family: 'محمدی/Mohammadi حسینی/Hosseini احمدی/Ahmadi کریمی/Karimi رحیمی/Rahimi موسوی/Mousavi' },
  { countries: 'PK', legal: '(Pvt.) Ltd.', given: 'محمد/Muhammad عائشہ/Ayesha احمد/Ahmad فاطمہ/Fatima بلال/Bilal ثنا/Sana', family: 'خان/Khan ملک/Malik چوہدری/Chaudhry قریشی/Qureshi بٹ/Butt شیخ/Sheikh' },
  {
    countries: 'IN NP', legal: 'Pvt. Ltd.|Limited|Industries',
    given: 'राहुल/Rahul प्रिया/Priya अमित/Amit नेहा/Neha संजय/Sanjay अनीता/Anita विक्रम/Vikram पूजा/Pooja अर्जुन/Arjun दीपिका/Deepika रोहन/Rohan काव्या/Kavya',
    family: 'शर्मा/Sharma वर्मा/Verma गुप्ता/Gupta सिंह/Singh पटेल/Patel कुमार/Kumar जोशी/Joshi मेहता/Mehta रेड्डी/Reddy अय्यर/Iyer नायर/Nair थापा/Thapa',
  },
  { countries: 'BD', legal: 'Ltd.', given: 'রহিম/Rahim সুমাইয়া/Sumaiya করিম/Karim নাসরিন/Nasrin তানভীর/Tanvir', family: 'হোসেন/Hossain রহমান/Rahman আহমেদ/Ahmed ইসলাম/Islam চৌধুরী/Chowdhury' },
  { countries: 'LK MV', legal: 'PLC|Pvt Ltd', given: 'නිමල්/Nimal කුමාරි/Kumari சுரேஷ்/Suresh தமிழினி/Tamilini රුවන්/Ruwan', family: 'පෙරේරා/Perera සිල්වා/Silva ගුණසේකර/Gunasekara ராஜா/Raja' },
  { countries: 'TH', legal: 'Co., Ltd.|PCL', given: 'สมชาย/Somchai สุดา/Suda ณัฐ/Nat มาลี/Malee วิชัย/Wichai พรทิพย์/Pornthip อนันต์/Anan กานดา/Kanda', family: 'ใจดี/Jaidee ศรีสุข/Srisuk วงศ์ไทย/Wongthai ทองดี/Thongdee แสงทอง/Saengthong บุญมี/Boonmee' },
  { countries: 'LA KH MM', legal: 'Co., Ltd.', given: 'សុខ/Sok បុប្ផា/Bopha ສົມ/Som ແກ້ວ/Keo အောင်/Aung သီတာ/Thida', family: 'ចាន់/Chan ហេង/Heng ວົງສາ/Vongsa မြင့်/Myint' },
  {
    countries: 'CN SG', legal: '有限公司|股份有限公司|集团', given: '伟/Wei 芳/Fang 娜/Na 敏/Min 静/Jing 强/Qiang 磊/Lei 洋/Yang 艳/Yan 杰/Jie 明/Ming 丽/Li 晓东/Xiaodong 雪梅/Xuemei',
    family: '王/Wang 李/Li 张/Zhang 刘/Liu 陈/Chen 杨/Yang 赵/Zhao 黄/Huang 周/Zhou 吴/Wu 徐/Xu 孙/Sun 欧阳/Ouyang',
  },
  { countries: 'TW HK MO', legal: '有限公司|股份有限公司|Holdings', given: '志明/Chih-ming 淑芬/Shu-fen 家豪/Chia-hao 雅婷/Ya-ting 建宏/Chien-hung 美玲/Mei-ling', family: '陳/Chen 林/Lin 黃/Huang 張/Chang 李/Lee 王/Wang 吳/Wu 劉/Liu' },
  {
    countries: 'JP', legal: '株式会社|合同会社|K.K.', given: '太郎/Taro 花子/Hanako 健/Ken 美咲/Misaki 翔/Sho さくら/Sakura 大輔/Daisuke 陽子/Yoko 誠/Makoto 愛/Ai 直樹/Naoki あかり/Akari',
    family: '佐藤/Sato 鈴木/Suzuki 高橋/Takahashi 田中/Tanaka 伊藤/Ito 渡辺/Watanabe 山本/Yamamoto 中村/Nakamura 小林/Kobayashi 加藤/Kato 吉田/Yoshida 山田/Yamada',
  },
  { countries: 'KR KP', legal: '주식회사|(주)|Co., Ltd.', given: '민준/Minjun 서연/Seoyeon 지훈/Jihoon 수빈/Subin 현우/Hyunwoo 지우/Jiwoo 도윤/Doyun 하은/Haeun', family: '김/Kim 이/Lee 박/Park 최/Choi 정/Jung 강/Kang 조/Cho 윤/Yoon' },
  { countries: 'VN', legal: 'JSC|Co., Ltd.', given: 'Anh Minh Hương Tuấn Linh Đức Thảo Quân Ngọc Dũng', family: 'Nguyễn Trần Lê Phạm Hoàng Huỳnh Phan Vũ Đặng Bùi' },
  { countries: 'ID MY BN', legal: 'PT|Tbk|Sdn Bhd', given: 'Budi Siti Agus Dewi Ahmad Nurul Rizky Putri Faisal Aisyah', family: 'Santoso Wijaya Susanto Hidayat Pratama Saputra Rahman Ismail Kusuma Lestari' },
  { countries: 'PH', legal: 'Inc.|Corporation', given: 'Jose Maria Juan Angelica Mark Kristine Paolo Bea Niño Liza', family: 'Santos Reyes Cruz Bautista Ocampo Garcia Mendoza Villanueva Peña Aquino' },
  { countries: 'MN BT', legal: 'ХХК', given: 'Бат/Bat Сараа/Saraa Тэмүүлэн/Temuulen Оюун/Oyuun', family: 'Дорж/Dorj Ганбаатар/Ganbaatar Болд/Bold Эрдэнэ/Erdene' },
  { countries: 'UZ', legal: 'MChJ', given: 'Jasur Dilnoza Aziz Gulnora Sherzod Malika', family: 'Karimov Rahimov Yusupov Toʻxtayev Saidov Nazarov' },
  { countries: 'ET ER', legal: 'PLC', given: 'አበበ/Abebe ሰላም/Selam ዳዊት/Dawit ሄለን/Helen ዮናስ/Yonas', family: 'ከበደ/Kebede ተስፋዬ/Tesfaye ኃይሌ/Haile በቀለ/Bekele' },
  {
    countries: 'NG GH KE TZ UG ZA ZM ZW RW MW BW NA SL LR GM SO SS LS SZ MU SC AQ', legal: 'Ltd|PLC|(Pty) Ltd|Group',
    given: 'Chinedu Ngozi Kwame Ama Juma Wanjiru Thabo Nomsa Tunde Amara Kofi Akua Baraka Zawadi Sipho Lerato Emeka Adaeze Themba Naledi',
    family: 'Okafor Adeyemi Mensah Owusu Kamau Otieno Nkosi Dlamini Mwangi Banda Moyo Phiri Eze Balogun Boateng Naidoo van_Wyk Mokoena Chukwu Achieng',
  },
];

export type Spelling = { readonly native: string; readonly latin: string };
export type Naming = { readonly given: readonly Spelling[]; readonly family: readonly Spelling[]; readonly legal: readonly string[] };

const NAMINGS: ReadonlyMap<string, Naming> = new Map(CULTURES.flatMap(({ countries, given, family, legal }) => {
  const naming: Naming = { given: spellings(given), family: spellings(family), legal: legal.split('|') };
  return countries.split(' ').map((country) => [country, naming] as const);
}));

/** How people and companies of a country are called. */
export function namingOf(country: string): Naming {
  return NAMINGS.get(country) ?? NAMINGS.get('US')!;
}

function spellings(list: string): Spelling[] {
  return list.split(list.includes('|') ? '|' : ' ').map((entry) => {
    const [native, latin = native] = entry.replaceAll('_', ' ').split('/');
    return { native: native!, latin: latin! };
  });
}

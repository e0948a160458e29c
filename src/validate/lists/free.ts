const FAMILIES: Readonly<Record<string, string>> = {
  yahoo: 'com ca com.ar com.au com.br com.cn com.co com.hk com.id com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ve com.vn co.id co.in co.jp co.kr co.nz co.th co.uk co.za at be bg cl cn cz de dk es fi fr gr hu ie in it jp nl no pl pt ro ru se sk',
  hotmail: 'com be ca ch cl co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.hk com.mx com.tr com.tw com.vn cz de dk es fi fr gr hu it jp lt lv my nl no ph pt rs se sg sk',
  live: 'com at be ca ch cl cn co.kr co.uk co.za com.ar com.au com.mx com.my com.ph com.pt com.sg de dk fi fr hk ie in it jp nl no ph ru se',
  outlook: 'com at be cl co.id co.il co.nz co.th com.ar com.au com.br com.gr com.pe com.tr com.vn cz de dk es fr hu ie in it jp kr lv my ph pt sa sg sk',
  gmx: 'com at ch de net us fr es it co.uk eu info li org tm',
  aol: 'com at be ch cl co.nz co.uk com.ar com.au com.br com.mx de es fi fr in it jp nl pl ru se tw',
  yandex: 'com ru by kz ua com.tr',
  rediff: 'com',
  zoho: 'com eu in',
};

const SINGLES = `
gmail.com googlemail.com
ymail.com rocketmail.com myyahoo.com
msn.com passport.com windowslive.com
aim.com love.com ygm.com games.com wow.com netscape.net
icloud.com me.com mac.com
proton.me protonmail.com protonmail.ch pm.me
tuta.com tuta.io tutanota.com tutanota.de tutamail.com keemail.me
fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.us fastmail.co.uk fastmail.com.au fastmail.de fastmail.es fastmail.fr fastmail.in fastmail.jp fastmail.nl messagingengine.com sent.com imap.cc
mail.com email.com usa.com consultant.com engineer.com europe.com asia.com post.com myself.com iname.com techie.com writeme.com dr.com cheerful.com accountant.com mail-me.com workmail.com
alumni.com birdlover.com collector.org contractor.net cutey.com discofan.com earthling.net fastservice.com mexicomail.com optician.com pacific-ocean.com photographer.net presidency.com priest.com protestant.com
qualityservice.com salesperson.net snakebite.com uymail.com mail2world.com safe-mail.net vfemail.net sdf.org
zohomail.com zohomail.eu zohomail.in hushmail.com hush.com hush.ai mac.hush.com hushmail.me lavabit.com runbox.com posteo.de posteo.net posteo.eu mailbox.org disroot.org riseup.net autistici.org startmail.com
mailfence.com kolabnow.com ctemplar.com countermail.com skiff.com hey.com cock.li airmail.cc inbox.lv inbox.lt inbox.com mail.ee lycos.com excite.com juno.com netzero.net netzero.com usa.net
web.de t-online.de freenet.de mail.de arcor.de online.de email.de mailbox.de gmxpro.net vodafone.de unitybox.de kabelmail.de o2online.de
aon.at chello.at a1.net utanet.at bluewin.ch sunrise.ch hispeed.ch swissonline.ch
orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr aliceadsl.fr club-internet.fr voila.fr cegetel.net 9online.fr
libero.it virgilio.it tiscali.it alice.it tin.it tim.it inwind.it iol.it blu.it email.it fastwebnet.it teletu.it vodafone.it poste.it tiscalinet.it
telefonica.net terra.es ono.com movistar.es ya.com sapo.pt iol.pt clix.pt netcabo.pt mail.pt
telenet.be skynet.be proximus.be scarlet.be voo.be ziggo.nl kpnmail.nl planet.nl home.nl xs4all.nl hetnet.nl chello.nl casema.nl upcmail.nl zonnet.nl tele2.nl quicknet.nl
telia.com bredband.net comhem.se spray.se passagen.se online.no broadpark.no getmail.no start.no jubii.dk ofir.dk mail.dk stofanet.dk luukku.com suomi24.fi elisanet.fi kolumbus.fi pp.inet.fi
seznam.cz centrum.cz email.cz post.cz volny.cz atlas.cz azet.sk centrum.sk zoznam.sk post.sk wp.pl o2.pl onet.pl onet.eu op.pl poczta.onet.pl interia.pl interia.eu gazeta.pl poczta.fm tlen.pl vp.pl
freemail.hu citromail.hu t-online.hu indamail.hu abv.bg mail.bg dir.bg gbg.bg mynet.com superonline.com ttmail.com
mail.ru inbox.ru list.ru bk.ru internet.ru xmail.ru ya.ru rambler.ru lenta.ru autorambler.ru myrambler.ru ro.ru narod.ru ukr.net i.ua meta.ua bigmir.net online.ua email.ua tut.by
walla.com walla.co.il netvision.net.il bezeqint.net 012.net.il
qq.com vip.qq.com foxmail.com 163.com 126.com yeah.net vip.163.com 188.com 139.com 189.cn wo.cn sina.com sina.cn vip.sina.com sohu.com tom.com 21cn.com aliyun.com
naver.com daum.net hanmail.net nate.com korea.com empas.com dreamwiz.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp i.softbank.jp nifty.com biglobe.ne.jp excite.co.jp infoseek.jp au.com
rediffmail.com indiatimes.com sify.com in.com vsnl.net bsnl.in pchome.com.tw hinet.net seed.net.tw netvigator.com singnet.com.sg starhub.net.sg pacific.net.sg tm.net.my telkom.net
uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br zipmail.com.br r7.com fibertel.com.ar arnet.com.ar ciudad.com.ar speedy.com.ar prodigy.net.mx une.net.co terra.com vtr.net
comcast.net verizon.net att.net sbcglobal.net bellsouth.net ameritech.net pacbell.net swbell.net snet.net prodigy.net cox.net charter.net spectrum.net roadrunner.com rr.com twc.com earthlink.net mindspring.com
optonline.net optimum.net frontier.com frontiernet.net windstream.net centurylink.net centurytel.net embarqmail.com q.com cableone.net suddenlink.net mediacombb.net tds.net wowway.com rcn.com peoplepc.com
rogers.com shaw.ca telus.net sympatico.ca bell.net videotron.ca cogeco.ca eastlink.ca mts.net sasktel.net nl.rogers.com
bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au internode.on.net westnet.com.au dodo.com.au ozemail.com.au iprimus.com.au xtra.co.nz slingshot.co.nz paradise.net.nz clear.net.nz
btinternet.com btopenworld.com sky.com talktalk.net virginmedia.com virgin.net ntlworld.com blueyonder.co.uk tiscali.co.uk plusnet.com plus.com o2.co.uk orange.net freeserve.co.uk supanet.com eircom.net
mweb.co.za webmail.co.za vodamail.co.za telkomsa.net emirates.net.ae maktoob.com
`;

/** The domains of providers that have one in many countries, under each name. */
export function familyOf(...names: readonly string[]): string[] {
  return names.flatMap((name) => FAMILIES[name]!.split(' ').map((ending) => `${name}.${ending}`));
}

/** Public mail providers: anyone can have a mailbox there. Own list. */
export const FREE_DOMAINS: readonly string[] = [
  ...familyOf(...Object.keys(FAMILIES)),
  ...SINGLES.trim().split(/\s+/),
];

/** The ones so common, and so unlike any other word, that a near miss is a slip. */
export const POPULAR_DOMAINS: readonly string[] = `
gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.co.in yahoo.fr yahoo.de yahoo.com.br hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it
outlook.com outlook.fr outlook.de live.com icloud.com aol.com protonmail.com comcast.net verizon.net sbcglobal.net bellsouth.net
rediffmail.com mail.ru yandex.ru gmx.de gmx.net web.de t-online.de freenet.de wanadoo.fr laposte.net btinternet.com
sympatico.ca bigpond.com optusnet.com.au earthlink.net rocketmail.com ymail.com fastmail.com tutanota.com seznam.cz
hanmail.net foxmail.com virginmedia.com optonline.net roadrunner.com
`.trim().split(/\s+/);

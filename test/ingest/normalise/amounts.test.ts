import { test } from 'node:test';
import { countOf, dollarsOf } from '../../../src/ingest/normalise/number.ts';
import { sizeOf, sizeOfHeads } from '../../../src/ingest/normalise/size.ts';
import { maps } from './maps.ts';

test('an amount that says dollars is read with the words for millions and billions of any language', () => {
  maps(dollarsOf, [
    ['1,5 Mrd. USD', 1_500_000_000], ['USD 3,4 Mrd', 3_400_000_000], ['US$ 12 Mio.', 12_000_000], ['12 Millionen US-Dollar', 12_000_000], ['$2 mld', 2_000_000_000], ['2,5 млрд USD', 2_500_000_000],
    ['$5億', 500_000_000], ['USD 3万', 30_000],
  ]);
  maps(dollarsOf, [['1,5 Mrd.', null], ['1,5 Mrd. EUR', null], ['$10 mil', null], ['$100 mil. - $250 mil.', null]]);
});

test('before a word for billions a separator groups no digits, as nobody earns so many', () => {
  maps(dollarsOf, [['$1,234 Mrd.', 1_234_000_000], ['$1.234 Mrd.', 1_234_000_000], ['$1,250M', 1_250_000_000], ['$1,250,000 k', 1_250_000_000]]);
});

test('a headcount may be told as one that is about right', () => {
  maps(countOf, [['ca. 50', 50], ['~1.200', 1_200], ['approx. 300 employees', 300], ['env. 40', 40], ['ok. 300', 300], ['about', null], ['ca. 50-60', null], ['cab 50', null]]);
  maps(sizeOfHeads, [['ca. 50', '11-50'], ['ca. 50-60', '51-200']]);
});

test('an amount of money is no headcount, whether a sign or a code says which', () => {
  maps(sizeOf, [['50 EUR', null], ['EUR 50', null], ['5 Mio. EUR', null], ['10 USD - 50 USD', null], ['50 zł', null], ['50 CAD designers', '11-50'], ['50 Europeans', '11-50'], ['11-50', '11-50']]);
});

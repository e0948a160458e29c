import { test } from 'node:test';
import { timeOf } from '../../../src/ingest/normalise/time.ts';
import { maps } from './maps.ts';

test('a month is known by its name in the languages of western and central Europe', () => {
  const may = '2024-05-06T00:00:00Z';
  maps(timeOf, [['6. Mai 2024', may], ['Montag, 6. Mai 2024', may], ['6 mai 2024', may], ['6 de mayo de 2024', may], ['6 de maio de 2024', may], ['6 maggio 2024', may], ['6 mei 2024', may], ['6 maja 2024', may], ['6-Mai-24', may]]);
  maps(timeOf, [
    ['1er février 2024', '2024-02-01T00:00:00Z'], ['3. März 2024', '2024-03-03T00:00:00Z'], ['14 août 2023', '2023-08-14T00:00:00Z'], ['9 juin 2023', '2023-06-09T00:00:00Z'], ['9 juil. 2023', '2023-07-09T00:00:00Z'],
    ['5 października 2023', '2023-10-05T00:00:00Z'], ['12 enero 2022', '2022-01-12T00:00:00Z'], ['24. Dezember 2022', '2022-12-24T00:00:00Z'], ['30 sept. 2022', '2022-09-30T00:00:00Z'], ['2 ottobre 2022', '2022-10-02T00:00:00Z'], ['7 maart 2022', '2022-03-07T00:00:00Z'],
  ]);
});

test('a word between the day and the time is passed over', () => {
  maps(timeOf, [['May 6, 2024 at 3:15 PM', '2024-05-06T15:15:00Z'], ['6 mai 2024 à 14:30', '2024-05-06T14:30:00Z'], ['6. Mai 2024 um 14:30', '2024-05-06T14:30:00Z']]);
});

test('a month that is another one in the next language, or none, is null', () => {
  maps(timeOf, [['6 listopada 2023', null], ['6 lipnja 2023', null], ['6. marraskuu 2024', null], ['6 jui 2023', null], ['6 mayonnaise of 2024', null], ['6 Haziran 2024', null]]);
});

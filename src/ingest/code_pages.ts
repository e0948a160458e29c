import { LIMITS } from '../config/limits.ts';
import { dialectOf, windowsText } from './dialect.ts';
import { fieldsMeant } from './mapping.ts';

/** In which spreadsheets write what is not western: of central Europe, in Cyrillic, Turkish, Japanese, Korean and Chinese. */
const CODE_PAGES = ['windows-1250', 'windows-1251', 'windows-1254', 'shift_jis', 'euc-kr', 'gbk', 'big5'] as const;
/**
 * Polish letters as Latin-1 has them: no other language has these signs in a word, as in `D¹browska`, `£ukasz` and `¯abka`. But amounts have one (`£million`), and what was UTF-8 once
 * another (`LÃ³pez`). Without marks a Polish header is the same in both.
 */
const POLISH = /[\p{Ll}A-Z][¹³]\p{Ll}|£[aeouyóê]\p{Ll}{2}|¯\p{Ll}{2}|\p{Ll}Ÿ/gu;
const POLISH_MIN = 2;

/**
 * The code page in which a delimited file that is neither UTF-8 nor UTF-16 names more columns that are known than in the western one; of one that names
 * no more in any, that whose letters are plain; null for the western.
 */
export function codePageOf(head: Buffer, delimiter: string | null): string | null {
  const start = head.subarray(0, LIMITS.ingestCodePageBytes);
  const known = (text: string): number => {
    const { header } = dialectOf(text, 'utf-8', { delimiter, escape: null, isCut: true });
    return header.slice(0, LIMITS.ingestColumnsMax).filter((column) => fieldsMeant(column).length > 0).length;
  };
  const western = windowsText(start);
  const least = { page: null, columns: known(western) };
  const pages = CODE_PAGES.map((page) => ({ page, columns: known(new TextDecoder(page).decode(start, { stream: true })) }));
  const best = pages.reduce<{ readonly page: string | null; readonly columns: number }>((most, page) => (page.columns > most.columns ? page : most), least);
  return best.page ?? ((western.match(POLISH)?.length ?? 0) >= POLISH_MIN ? 'windows-1250' : null);
}

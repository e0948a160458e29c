import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../model/errors.ts';

/** Of pages alone, and of validations, which spell it in their own way. */
type Elsewhere = 'csrf' | 'validator_unreachable';
const isHere = (code: ErrorCode): code is Exclude<ErrorCode, Elsewhere> => code !== 'csrf' && code !== 'validator_unreachable';

/** The codes of the endpoints that are described. */
export const PROBLEM_CODES = ERROR_CODES.filter(isHere);

export const PROBLEM = z.object({
  error: z.enum(PROBLEM_CODES),
  detail: z.string(),
  request_id: z.string(),
  retry_after: z.int().min(1).optional().describe('on 429: seconds, as in the header Retry-After'),
  example: z.unknown().optional().describe('on 400: a request that would have worked'),
  tip: z.string().optional().describe('on 400: where to look up what is taken'),
});

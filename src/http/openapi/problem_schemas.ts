import { z } from 'zod';
import { ERROR_CODES } from '../../model/errors.ts';

export const PROBLEM = z.object({
  error: z.enum(ERROR_CODES),
  detail: z.string(),
  request_id: z.string(),
  retry_after: z.int().min(1).optional().describe('on 429: seconds, as in the header Retry-After'),
  example: z.unknown().optional().describe('on 400: a request that would have worked'),
  tip: z.string().optional().describe('on 400: where to look the filters up'),
});

import { z } from 'zod';
const SOURCE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const Config = z.strictObject({ dataDir: z.string(), sources: z.array(z.strictObject({ name: z.string().regex(SOURCE_NAME) })) });
export type Config = z.infer<typeof Config>;

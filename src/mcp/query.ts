import { z } from 'zod';
import { queryFlag } from '../contract/primitives.js';
import { AllowedSecrets } from '../contract/resources/secrets.js';
import { TOOLSET_NAMES } from './toolsets.js';

const error = `must be one or several of ${TOOLSET_NAMES.join(', ')}, separated by commas`;

/** `?toolset=screen,commands&read_only=1&secret=SHOP_PASSWORD` of the address of the server. */
export const MCP_QUERY = z.object({
  toolset: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(TOOLSET_NAMES, { error })))
    .optional(),
  read_only: queryFlag('0'),
  secret: z
    .string()
    .transform((text) => text.split(','))
    .pipe(AllowedSecrets)
    .optional(),
});

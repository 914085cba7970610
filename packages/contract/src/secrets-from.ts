import type { z } from 'zod'
import { id } from './fields.ts'

/** Returns the body field that names the resource from which `__stored__` secrets are copied. */
export const secretsFrom = (): z.ZodOptional<z.ZodString> =>
  id()
    .optional()
    .describe(
      'ID of the LLM configuration, conversation flow or flow component whose secrets replace `__stored__`. ' +
        'Tools and MCP servers are matched by name.',
    )

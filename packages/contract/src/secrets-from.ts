import type { z } from 'zod'
import { id } from './fields.ts'

/** Field of bodies that can contain `__stored__` copied from another resource. */
export const secretsFrom = (): z.ZodOptional<z.ZodString> =>
  id()
    .optional()
    .describe(
      'ID of the LLM configuration, conversation flow or flow component whose secrets replace `__stored__`. ' +
        'Tools and MCP servers are matched by name.',
    )

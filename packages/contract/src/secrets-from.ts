import type { z } from 'zod'
import { id } from './fields.ts'

/** For bodies that may hold `__stored__` copied from another resource. */
export const secretsFrom = (): z.ZodOptional<z.ZodString> =>
  id()
    .optional()
    .meta({
      description:
        'LLM configuration, conversation flow or flow component of the workspace whose stored values replace `__stored__`, ' +
        'found by the name of the tool or MCP server.',
    })

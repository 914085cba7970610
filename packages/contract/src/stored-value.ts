import type { z } from 'zod'
import { id } from './fields.ts'

/** Secrets in tools and MCP servers: stored encrypted, answered as a placeholder, kept when the placeholder is written back. */

/** Answered in place of a stored secret. */
export const STORED_VALUE = '__stored__'

/** For bodies that may hold `__stored__` copied from another resource. */
export const secretsFrom = (): z.ZodOptional<z.ZodString> =>
  id()
    .optional()
    .meta({
      description:
        'LLM configuration, conversation flow or flow component of the workspace whose stored values replace `__stored__`, ' +
        'found by the name of the tool or MCP server.',
    })

import { z } from 'zod'
import { WorkspaceQuery } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

const Price = z.number().describe('US dollars per million tokens.')

export const Model = defineObject('Model', {
  model: z.string().describe('Name to use in configurations, such as `openai/gpt-4.1`.'),
  provider: z.string().describe('Provider of the model, such as `openai`, or `offline` for the built-in model.'),
  available: z.boolean().describe('Whether the provider is configured on the server or has a key for the workspace.'),
  default: z.boolean().describe('Whether configurations without a model use this model.'),
  pricing: z
    .object({ input: Price, cachedInput: Price, output: Price })
    .nullable()
    .describe('List price, or null if it is unknown.'),
  latencyP50Ms: z
    .number()
    .nullable()
    .describe(
      'Median time in milliseconds from a message to the first text of the reply in recent chats of the workspace, or ' +
        'null if none of them used this model.',
    ),
})
export type Model = z.infer<typeof Model>

export const listModels = defineOperation({
  name: 'listModels',
  route: 'GET /api/models',
  tag: 'LLM Models',
  summary: 'List models',
  description:
    'Returns the built-in model, the models with a known price, and the models of recent chats. Configurations ' +
    'can also use any other model of an available provider.',
  access: 'read',
  query: WorkspaceQuery,
  result: z.array(Model),
})

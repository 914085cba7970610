import { z } from 'zod'
import { OneCall } from './call.ts'
import { bodyWorkspace, freeObject, id, integer, orDefault, Variables } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Calls that are held in a browser. */

export const CreateWebCallBody = z
  .object({
    workspaceId: bodyWorkspace().meta({ description: 'The workspace of the agent; it follows from the agent.' }),
    agentId: id().meta({ description: 'An agent with a voice.' }),
    agentVersion: integer(1).nullable().optional().meta({
      description: 'Version that the call stays on; the active one when absent or null.',
    }),
    metadata: orDefault(freeObject().meta({ description: 'Data of your own. At most 50 KiB of JSON.' }), () => ({})),
    customAttributes: orDefault(
      freeObject().meta({ description: 'More data of your own. At most 50 KiB of JSON.' }),
      () => ({}),
    ),
    dynamicVariables: orDefault(
      Variables.meta({
        description:
          'Values of `{{variables}}`, instead of the defaults of the engine; numbers and booleans become text.',
      }),
      () => ({}),
    ),
    serviceDynamicVariables: Variables.nullable()
      .optional()
      .meta({ description: 'Another name of `dynamicVariables`.' }),
    optOutSensitiveDataStorage: orDefault(
      z.boolean().meta({ description: 'Keeps neither transcript, recording nor variables after the call.' }),
      () => false,
    ),
  })
  .meta({ id: 'CreateWebCallBody' })
export type CreateWebCallBody = z.output<typeof CreateWebCallBody>

export const createWebCall = defineOperation({
  name: 'createWebCall',
  method: 'POST',
  path: '/api/v1/calls/web',
  tag: 'Calls',
  summary: 'Create a web call',
  description:
    'Makes a call that a person joins in a browser: with `accessToken`, once, within ten minutes, or on the page ' +
    '`webCallUrl`. A slot of the concurrency is kept for a minute; a caller who comes later takes a free one.',
  access: 'calls',
  workspace: 'inferred',
  body: CreateWebCallBody,
  status: 201,
  result: OneCall,
  errors: [
    'not_found',
    'workspace_forbidden',
    'engine_unavailable',
    'model_not_configured',
    'concurrency_limit_reached',
  ],
})

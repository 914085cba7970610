import { z } from 'zod'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  id,
  integer,
  label,
  orDefault,
  PROMPT_LIMIT_BYTES,
  PublishBody,
  queryInteger,
  StringMap,
  text,
  Variables,
  VersionQuery,
  versionItem,
  versionNotes,
  Warnings,
  WorkspaceQuery,
  wordOrDecimal,
} from './fields.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { ADDED_LIST_LIMIT, pagingQuery, SPECIFIED_LIST_LIMIT } from './pagination.ts'
import { Tool, ToolList } from './tools.ts'

/** LLM configurations: prompt, model and tools that agents answer with. */

/** Prompts and tools need more room than other bodies. */
const LLM_BODY_LIMIT_BYTES = 4 * 1024 * 1024

export const LlmSummary = z
  .object({ llm_id: z.string(), display_name: z.string(), version: z.int() })
  .meta({ id: 'LlmSummary' })
export type LlmSummary = z.infer<typeof LlmSummary>

export const Llm = z
  .object({
    llm_id: z.string(),
    workspaceId: z.int(),
    display_name: z.string(),
    version: z.int(),
    model: z.string().meta({ description: 'Model in use: `provider/model` or a bare name.' }),
    model_temperature: z.number().nullable().meta({ description: '0 to 1; null leaves it to the model.' }),
    general_prompt: z.string(),
    begin_message: z.string().nullable().meta({
      description: 'First words of the agent; "" lets the user begin, null was never set.',
    }),
    responsiveness: z.string().meta({ description: '`slow`, `balanced`, `fast` or a decimal from 0 to 1.' }),
    general_tools: z.array(Tool),
    default_dynamic_variables: StringMap,
    is_published: z.boolean(),
    is_frozen: z.boolean().meta({ description: 'Used or published: the next PATCH makes a new version.' }),
    ...versionNotes,
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'Llm' })
export type Llm = z.infer<typeof Llm>

export const LlmWritten = Llm.extend({ warnings: Warnings }).meta({ id: 'LlmWritten' })
export type LlmWritten = z.infer<typeof LlmWritten>

export const LlmVersion = z.object({ llm_id: z.string(), ...versionItem }).meta({ id: 'LlmVersion' })
export type LlmVersion = z.infer<typeof LlmVersion>

/** How fast the agent answers. */
export const Responsiveness = wordOrDecimal(['slow', 'balanced', 'fast'])

const BeginMessage = text(32 * 1024)
const Temperature = z.number().min(0).max(1)

export const CreateLlmBody = z
  .object({
    workspaceId: bodyWorkspace(),
    display_name: orDefault(label(), () => ''),
    model: ModelName.nullable().optional().meta({ description: 'The default model of the server when absent.' }),
    model_temperature: Temperature.nullable().default(null),
    general_prompt: orDefault(text(PROMPT_LIMIT_BYTES), () => ''),
    begin_message: BeginMessage.nullable().default(null),
    responsiveness: orDefault(Responsiveness, () => 'fast'),
    general_tools: orDefault(ToolList, () => []),
    default_dynamic_variables: orDefault(Variables, () => ({})),
  })
  .meta({ id: 'CreateLlmBody' })
export type CreateLlmBody = z.output<typeof CreateLlmBody>

export const UpdateLlmBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: integer(1).optional().meta({ description: 'Version to edit; the newest when absent.' }),
    display_name: clearable(label(), () => ''),
    model: ModelName.nullable().optional(),
    model_temperature: Temperature.nullable().optional(),
    general_prompt: clearable(text(PROMPT_LIMIT_BYTES), () => ''),
    begin_message: BeginMessage.nullable().optional(),
    responsiveness: clearable(Responsiveness, () => 'fast'),
    general_tools: clearable(ToolList, () => []),
    default_dynamic_variables: clearable(Variables, () => ({})),
  })
  .meta({ id: 'UpdateLlmBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateLlmBody = z.output<typeof UpdateLlmBody>

const LlmPath = z.object({ llmId: id() })
const TAG = 'LLM Models'

export const listLlms = defineOperation({
  name: 'listLlms',
  method: 'GET',
  path: '/api/v1/llms',
  tag: TAG,
  summary: 'List LLM configurations',
  description: 'Newest first, each with its newest version.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPECIFIED_LIST_LIMIT),
  status: 200,
  result: z.array(LlmSummary),
  features: ['paged'],
})

export const createLlm = defineOperation({
  name: 'createLlm',
  method: 'POST',
  path: '/api/v1/llms',
  tag: TAG,
  summary: 'Create an LLM configuration',
  description: 'Creates version 1, which agents can use at once. Everything but the workspace has a default.',
  access: 'write',
  workspace: 'body',
  body: CreateLlmBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 201,
  result: LlmWritten,
  features: ['etag'],
})

export const getLlm = defineOperation({
  name: 'getLlm',
  method: 'GET',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Read an LLM configuration',
  description: 'Answers the newest version unless `version` names another.',
  access: 'read',
  workspace: 'query',
  pathParameters: LlmPath,
  query: VersionQuery,
  status: 200,
  result: Llm,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateLlm = defineOperation({
  name: 'updateLlm',
  method: 'PATCH',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Change an LLM configuration',
  description:
    'Edits the newest version while nothing has used it, otherwise makes the next version, which agents that are not ' +
    'pinned, published or activated follow; `warnings` names those that stay.',
  access: 'write',
  workspace: 'body',
  pathParameters: LlmPath,
  query: z.object({ version: queryInteger(1, 2_147_483_647).optional() }),
  body: UpdateLlmBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 200,
  result: LlmWritten,
  errors: ['not_found', 'version_frozen', 'version_conflict'],
  features: ['etag'],
})

export const deleteLlm = defineOperation({
  name: 'deleteLlm',
  method: 'DELETE',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Delete an LLM configuration',
  description: 'Removes it with all its versions for good. Refused while an agent uses it; the answer lists the users.',
  access: 'write',
  workspace: 'query',
  pathParameters: LlmPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'in_use', 'version_conflict'],
})

export const listLlmVersions = defineOperation({
  name: 'listLlmVersions',
  method: 'GET',
  path: '/api/llms/{llmId}/versions',
  tag: TAG,
  summary: 'List the versions of an LLM configuration',
  description: 'Newest version first.',
  access: 'read',
  workspace: 'query',
  pathParameters: LlmPath,
  query: pagingQuery(ADDED_LIST_LIMIT),
  status: 200,
  result: z.array(LlmVersion),
  errors: ['not_found'],
  features: ['paged'],
})

export const publishLlm = defineOperation({
  name: 'publishLlm',
  method: 'POST',
  path: '/api/llms/{llmId}/publish',
  tag: TAG,
  summary: 'Publish a version of an LLM configuration',
  description: 'Marks a version, the newest by default, as published. A published version is never changed again.',
  access: 'write',
  workspace: 'body',
  pathParameters: LlmPath,
  body: PublishBody,
  status: 200,
  result: Llm,
  errors: ['not_found'],
  features: ['etag'],
})

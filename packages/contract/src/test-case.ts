import { z } from 'zod'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  id,
  integer,
  label,
  orDefault,
  queryInteger,
  StringMap,
  text,
  Variables,
  WorkspaceQuery,
} from './fields.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'
import { MAX_TOOL_MOCKS, ToolMock, ToolMockInput } from './tool-mock.ts'

/** Test case definitions: a simulated user, what it wants from a response engine, and what makes the test pass. */

/** Kinds of response engine that can be tested. */
export const TEST_CASE_TYPES = ['llm', 'conversation-flow'] as const
export const TestCaseType = z.enum(TEST_CASE_TYPES).meta({ id: 'TestCaseType' })
export type TestCaseType = z.infer<typeof TestCaseType>

/** What a test case has when its creator said nothing. */
export const TEST_CASE_DEFAULTS = { description: '', user_prompt: '', max_turns: 30 } as const

const MAX_METRICS = 50

const LLM_ID = { description: 'The LLM configuration that is tested; null when it is a conversation flow.' }
const FLOW_ID = { description: 'The conversation flow that is tested; null when it is an LLM configuration.' }
const NAME = { description: 'Name to know it by.' }
const DESCRIPTION = { description: 'What it is about, for people.' }
const USER_PROMPT = { description: 'Who the simulated user is and what it wants.' }
const METRICS = { description: 'What must hold for the test to pass, in words.' }
const DYNAMIC_VARIABLES = { description: 'Values of `{{variables}}` in the simulated conversation.' }
const TOOL_MOCKS = { description: 'Results in place of those of tools.' }
const LLM_MODEL = { description: 'Model that plays the user, `provider/model` or a bare name; null takes the default.' }
const MAX_TURNS = { description: 'After how many turns the conversation is ended.' }

export const TestCase = z
  .object({
    test_case_definition_id: z.string(),
    workspaceId: z.int(),
    type: TestCaseType.meta({ description: 'Kind of the response engine that is tested.' }),
    llm_id: z.string().nullable().meta(LLM_ID),
    conversation_flow_id: z.string().nullable().meta(FLOW_ID),
    version: z.int().meta({ description: 'Version of the engine; its newest one unless another was named.' }),
    name: z.string().meta(NAME),
    description: z.string().meta(DESCRIPTION),
    user_prompt: z.string().meta(USER_PROMPT),
    metrics: z.array(z.string()).meta(METRICS),
    dynamic_variables: StringMap.meta(DYNAMIC_VARIABLES),
    tool_mocks: z.array(ToolMock).meta(TOOL_MOCKS),
    llm_model: z.string().nullable().meta(LLM_MODEL),
    max_turns: z.int().meta(MAX_TURNS),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'TestCase' })
export type TestCase = z.infer<typeof TestCase>

const EngineVersion = integer(1).nullable().meta({
  description: 'A version of the engine; null follows its newest.',
})

const settings = {
  llm_id: id().meta({ description: 'The LLM configuration to test, unless it is a conversation flow.' }),
  conversation_flow_id: id().meta({ description: 'The conversation flow to test, unless it is an LLM configuration.' }),
  name: label().min(1).meta(NAME),
  description: text(8 * 1024).meta({ description: `${DESCRIPTION.description} At most 8 KiB.` }),
  user_prompt: text(32 * 1024).meta({ description: `${USER_PROMPT.description} At most 32 KiB.` }),
  metrics: z
    .array(text(2 * 1024).min(1))
    .max(MAX_METRICS)
    .meta({ description: `${METRICS.description} Each at most 2 KiB.` }),
  dynamic_variables: Variables.meta({
    description: `${DYNAMIC_VARIABLES.description} Numbers and booleans become text.`,
  }),
  tool_mocks: z.array(ToolMockInput).max(MAX_TOOL_MOCKS).meta(TOOL_MOCKS),
  llm_model: ModelName.meta(LLM_MODEL),
  max_turns: integer(1, 100).meta(MAX_TURNS),
}

const isProvided = (value: string | null | undefined): boolean => typeof value === 'string'

export const CreateTestCaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    test_case_definition_id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, "_" or "-"')
      .nullable()
      .default(null)
      .meta({ description: 'An id of your own, unique in the installation; one is made when absent.' }),
    llm_id: settings.llm_id.nullable().default(null),
    conversation_flow_id: settings.conversation_flow_id.nullable().default(null),
    version: EngineVersion.default(null),
    name: settings.name,
    description: orDefault(settings.description, () => TEST_CASE_DEFAULTS.description),
    user_prompt: orDefault(settings.user_prompt, () => TEST_CASE_DEFAULTS.user_prompt),
    metrics: orDefault(settings.metrics, () => []),
    dynamic_variables: orDefault(settings.dynamic_variables, () => ({})),
    tool_mocks: orDefault(settings.tool_mocks, () => []),
    llm_model: settings.llm_model.nullable().default(null),
    max_turns: orDefault(settings.max_turns, () => TEST_CASE_DEFAULTS.max_turns),
  })
  .refine((body) => isProvided(body.llm_id) !== isProvided(body.conversation_flow_id), {
    path: ['llm_id'],
    error: 'must be given, or "conversation_flow_id", and not both',
  })
  .meta({ id: 'CreateTestCaseBody' })
export type CreateTestCaseBody = z.output<typeof CreateTestCaseBody>

export const UpdateTestCaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    llm_id: settings.llm_id.nullable().optional(),
    conversation_flow_id: settings.conversation_flow_id.nullable().optional(),
    version: EngineVersion.optional(),
    name: settings.name.optional(),
    description: clearable(settings.description, () => TEST_CASE_DEFAULTS.description),
    user_prompt: clearable(settings.user_prompt, () => TEST_CASE_DEFAULTS.user_prompt),
    metrics: clearable(settings.metrics, () => []),
    dynamic_variables: clearable(settings.dynamic_variables, () => ({})),
    tool_mocks: clearable(settings.tool_mocks, () => []),
    llm_model: settings.llm_model.nullable().optional(),
    max_turns: clearable(settings.max_turns, () => TEST_CASE_DEFAULTS.max_turns),
  })
  .refine((body) => !(isProvided(body.llm_id) && isProvided(body.conversation_flow_id)), {
    path: ['llm_id'],
    error: 'must not be given together with "conversation_flow_id"',
  })
  .meta({
    id: 'UpdateTestCaseBody',
    description:
      'Absent fields stay as they are, null returns one to its default. Another engine replaces the one before, and ' +
      'its newest version is tested unless `version` names one.',
  })
export type UpdateTestCaseBody = z.output<typeof UpdateTestCaseBody>

const TestCasePath = z.object({
  testCaseDefinitionId: id().meta({ description: 'The `test_case_definition_id`, made here or chosen by you.' }),
})
const TAG = 'Test Cases'

export const createTestCase = defineOperation({
  name: 'createTestCase',
  method: 'POST',
  path: '/api/test-case-definitions',
  tag: TAG,
  summary: 'Create a test case definition',
  description: 'Describes a conversation to simulate with an LLM or a conversation flow.',
  access: 'write',
  workspace: 'body',
  body: CreateTestCaseBody,
  status: 201,
  result: TestCase,
  errors: ['id_taken'],
  features: ['etag'],
})

export const listTestCases = defineOperation({
  name: 'listTestCases',
  method: 'GET',
  path: '/api/test-case-definitions',
  tag: TAG,
  summary: 'List test case definitions',
  description: 'Newest first; each filter keeps what it names.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPEC_LIST_LIMIT).extend({
    type: TestCaseType.optional().meta({ description: 'Only tests of this kind of engine.' }),
    llmId: id().optional().meta({ description: 'Only tests of this LLM configuration.' }),
    conversationFlowId: id().optional().meta({ description: 'Only tests of this conversation flow.' }),
    version: queryInteger(1, 2_147_483_647).optional().meta({
      description: 'Only tests of this version of their engine; those that follow the newest count as tests of that.',
    }),
  }),
  status: 200,
  result: z.array(TestCase),
  features: ['paged'],
})

export const getTestCase = defineOperation({
  name: 'getTestCase',
  method: 'GET',
  path: '/api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Read a test case definition',
  description: 'Answers the definition with the version of the engine that a run would test now.',
  access: 'read',
  workspace: 'query',
  pathParameters: TestCasePath,
  query: WorkspaceQuery,
  status: 200,
  result: TestCase,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateTestCase = defineOperation({
  name: 'updateTestCase',
  method: 'PATCH',
  path: '/api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Change a test case definition',
  description: 'Changes the definition in place. Runs that were made before keep what they tested.',
  access: 'write',
  workspace: 'body',
  pathParameters: TestCasePath,
  body: UpdateTestCaseBody,
  status: 200,
  result: TestCase,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteTestCase = defineOperation({
  name: 'deleteTestCase',
  method: 'DELETE',
  path: '/api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Delete a test case definition',
  description: 'Removes the definition for good.',
  access: 'write',
  workspace: 'query',
  pathParameters: TestCasePath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})

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
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'
import { MAX_TOOL_MOCKS, ToolMock, ToolMockInput } from './tool-mock.ts'

/** Test case definitions: a simulated user, an engine and the criteria for passing. */

/** Engine types that can be tested. */
export const TEST_CASE_TYPES = ['llm', 'conversation-flow'] as const
export const TestCaseType = z.enum(TEST_CASE_TYPES).meta({ id: 'TestCaseType' })
export type TestCaseType = z.infer<typeof TestCaseType>

/** Defaults of a test case. */
export const TEST_CASE_DEFAULTS = { description: '', user_prompt: '', max_turns: 30 } as const

const MAX_METRICS = 50

const LLM_ID = 'ID of the tested LLM configuration, or null for a conversation flow.'
const FLOW_ID = 'ID of the tested conversation flow, or null for an LLM configuration.'
const NAME = 'Display name.'
const DESCRIPTION = 'Description for your team.'
const USER_PROMPT = 'Prompt that describes the identity and goal of the simulated user.'
const METRICS = 'Pass criteria, as text.'
const DYNAMIC_VARIABLES = 'Values of `{{variables}}` in the simulated conversation.'
const TOOL_MOCKS = 'Mock results of tools.'
const LLM_MODEL = 'Model of the simulated user: `provider/model` or a bare name. If null, the default model is used.'
const MAX_TURNS = 'Maximum number of turns.'

export const TestCase = defineObject('TestCase', {
  test_case_definition_id: z.string(),
  workspaceId: z.int(),
  type: TestCaseType.describe('Kind of the tested engine.'),
  llm_id: z.string().nullable().describe(LLM_ID),
  conversation_flow_id: z.string().nullable().describe(FLOW_ID),
  version: z.int().describe('Version of the engine. Defaults to the latest.'),
  name: z.string().describe(NAME),
  description: z.string().describe(DESCRIPTION),
  user_prompt: z.string().describe(USER_PROMPT),
  metrics: z.array(z.string()).describe(METRICS),
  dynamic_variables: StringMap.describe(DYNAMIC_VARIABLES),
  tool_mocks: z.array(ToolMock).describe(TOOL_MOCKS),
  llm_model: z.string().nullable().describe(LLM_MODEL),
  max_turns: z.int().describe(MAX_TURNS),
  created_at: DateTime,
  updated_at: DateTime,
})
export type TestCase = z.infer<typeof TestCase>

const EngineVersion = integer(1).nullable().describe('Version of the engine. If null, the latest version is tested.')

const settingFields = {
  llm_id: id().describe('ID of the LLM configuration to test. Required unless `conversation_flow_id` is given.'),
  conversation_flow_id: id().describe('ID of the conversation flow to test. Required unless `llm_id` is given.'),
  name: label().min(1).describe(NAME),
  description: text(8 * 1024).describe(`${DESCRIPTION} At most 8 KiB.`),
  user_prompt: text(32 * 1024).describe(`${USER_PROMPT} At most 32 KiB.`),
  metrics: z
    .array(text(2 * 1024).min(1))
    .max(MAX_METRICS)
    .describe(`${METRICS} Each at most 2 KiB.`),
  dynamic_variables: Variables.describe(`${DYNAMIC_VARIABLES} Numbers and booleans become strings.`),
  tool_mocks: z.array(ToolMockInput).max(MAX_TOOL_MOCKS).describe(TOOL_MOCKS),
  llm_model: ModelName.describe(LLM_MODEL),
  max_turns: integer(1, 100).describe(MAX_TURNS),
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
      .describe('Custom ID, unique in the installation. Generated if omitted.'),
    llm_id: settingFields.llm_id.nullable().default(null),
    conversation_flow_id: settingFields.conversation_flow_id.nullable().default(null),
    version: EngineVersion.default(null),
    name: settingFields.name,
    description: orDefault(settingFields.description, () => TEST_CASE_DEFAULTS.description),
    user_prompt: orDefault(settingFields.user_prompt, () => TEST_CASE_DEFAULTS.user_prompt),
    metrics: orDefault(settingFields.metrics, () => []),
    dynamic_variables: orDefault(settingFields.dynamic_variables, () => ({})),
    tool_mocks: orDefault(settingFields.tool_mocks, () => []),
    llm_model: settingFields.llm_model.nullable().default(null),
    max_turns: orDefault(settingFields.max_turns, () => TEST_CASE_DEFAULTS.max_turns),
  })
  .refine((body) => isProvided(body.llm_id) !== isProvided(body.conversation_flow_id), {
    path: ['llm_id'],
    error: 'is required unless "conversation_flow_id" is given, and must not be combined with it',
  })
  .meta({ id: 'CreateTestCaseBody' })
export type CreateTestCaseBody = z.output<typeof CreateTestCaseBody>

export const UpdateTestCaseBody = z
  .object({
    workspaceId: bodyWorkspace(),
    llm_id: settingFields.llm_id.nullable().optional(),
    conversation_flow_id: settingFields.conversation_flow_id.nullable().optional(),
    version: EngineVersion.optional(),
    name: settingFields.name.optional(),
    description: clearable(settingFields.description, () => TEST_CASE_DEFAULTS.description),
    user_prompt: clearable(settingFields.user_prompt, () => TEST_CASE_DEFAULTS.user_prompt),
    metrics: clearable(settingFields.metrics, () => []),
    dynamic_variables: clearable(settingFields.dynamic_variables, () => ({})),
    tool_mocks: clearable(settingFields.tool_mocks, () => []),
    llm_model: settingFields.llm_model.nullable().optional(),
    max_turns: clearable(settingFields.max_turns, () => TEST_CASE_DEFAULTS.max_turns),
  })
  .refine((body) => !(isProvided(body.llm_id) && isProvided(body.conversation_flow_id)), {
    path: ['llm_id'],
    error: 'must not be combined with "conversation_flow_id"',
  })
  .meta({
    id: 'UpdateTestCaseBody',
    description:
      'Omitted fields do not change; null resets a field to its default. A different engine replaces the ' +
      'previous one and is tested in its latest version unless `version` is given.',
  })
export type UpdateTestCaseBody = z.output<typeof UpdateTestCaseBody>

const TestCasePath = z.object({
  testCaseDefinitionId: id().describe('`test_case_definition_id` of the test case.'),
})
const TAG = 'Test Cases'

export const createTestCase = defineOperation({
  name: 'createTestCase',
  route: 'POST /api/test-case-definitions',
  tag: TAG,
  summary: 'Create a test case definition',
  description: 'Creates a test case that simulates a conversation with an LLM configuration or a conversation flow.',
  access: 'write',
  body: CreateTestCaseBody,
  status: 201,
  result: TestCase,
  errors: ['id_taken'],
  features: ['etag'],
})

export const listTestCases = defineOperation({
  name: 'listTestCases',
  route: 'GET /api/test-case-definitions',
  tag: TAG,
  summary: 'List test case definitions',
  description: 'Returns test case definitions that match all filters, newest first.',
  access: 'read',
  query: pagingQuery(SPEC_LIST_LIMIT).extend({
    type: TestCaseType.optional().describe('Return only tests of this engine type.'),
    llmId: id().optional().describe('Return only tests of this LLM configuration.'),
    conversationFlowId: id().optional().describe('Return only tests of this conversation flow.'),
    version: queryInteger(1, 2_147_483_647)
      .optional()
      .describe(
        'Return only tests of this engine version, including tests of the latest version if that is the same version.',
      ),
  }),
  result: z.array(TestCase),
  features: ['paged'],
})

export const getTestCase = defineOperation({
  name: 'getTestCase',
  route: 'GET /api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Get a test case definition',
  description: 'Returns the definition. `version` is the engine version that a run would currently test.',
  access: 'read',
  pathParameters: TestCasePath,
  query: WorkspaceQuery,
  result: TestCase,
  features: ['etag'],
})

export const updateTestCase = defineOperation({
  name: 'updateTestCase',
  route: 'PATCH /api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Update a test case definition',
  description: 'Updates the definition. Earlier runs are not affected.',
  access: 'write',
  pathParameters: TestCasePath,
  body: UpdateTestCaseBody,
  result: TestCase,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteTestCase = defineOperation({
  name: 'deleteTestCase',
  route: 'DELETE /api/test-case-definitions/{testCaseDefinitionId}',
  tag: TAG,
  summary: 'Delete a test case definition',
  description: 'Permanently deletes the definition.',
  access: 'write',
  pathParameters: TestCasePath,
  query: WorkspaceQuery,
  errors: ['version_conflict'],
})

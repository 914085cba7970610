import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { TransitionCondition } from '@parley/contract/flow-edge'
import { readEquation } from '@parley/contract/flow-equation'
import { SourceInput } from '@parley/contract/knowledge-source'
import { LocalFlowComponentList } from '@parley/contract/local-component'
import type { Operation } from '@parley/contract/operation'
import { createArbitrary, type FieldValues } from '@parley/contract/testing/schema-arbitrary'
import fc from 'fast-check'
import { VOICE } from '../../testing/server-test.ts'
import type { GeneratedScene } from './generated-scene.ts'
import { UNREACHABLE_URL } from './valid-account-bodies.ts'
import { MCP_ID } from './valid-bodies.ts'

type Values = Readonly<Record<string, fc.Arbitrary<unknown>>>

const absent = fc.constant(undefined)
const optionally = (...values: readonly unknown[]) => fc.constantFrom(undefined, ...values)
const exactly = (value: unknown) => fc.constant(value)

/** Conditions with valid equations, whose grammar the schema does not check. */
const condition = createArbitrary(TransitionCondition).filter((given) => {
  const written = given as TransitionCondition
  return written.type === 'prompt' || readEquation(written).type === 'condition'
})
const source = createArbitrary(SourceInput)
const number = fc.stringMatching(/^\+[1-9] ?\d{3,4}[- ]?\d{6,8}$/)
const email = fc.uuid().map((name) => `Person-${name}@example.com`)

/** Values of body fields that name existing resources. `undefined` omits a field. */
export function bodyValues({ name: operation }: Operation, scene: GeneratedScene): FieldValues {
  const byName = namedValues(scene)
  const own = ownValues(scene)[operation] ?? {}
  return (name, schema) => {
    const values = own[name] ?? byName[name]
    // Required nullable fields are null.
    if (values === undefined || schema._zod.optin === 'optional') return values
    return values.map((value) => (value === undefined ? null : value))
  }
}

function namedValues({ ids: { workspaceId, values } }: GeneratedScene): Values {
  const agent = optionally(values.agentId)
  return {
    workspaceId: exactly(workspaceId),
    workspaceIds: optionally([workspaceId], [workspaceId, workspaceId]),
    tenantId: optionally(values.tenantId),
    providerId: optionally(values.providerId),
    accountSid: optionally(values.tenantId),
    agentId: exactly(values.agentId),
    agent_id: exactly(values.agentId),
    default_agent_id: agent,
    fallback_agent_id: agent,
    outboundAgentId: agent,
    llm_id: exactly(values.llmId),
    conversation_flow_id: exactly(values.conversationFlowId),
    component_id: exactly(values.flowComponentId),
    knowledge_base_ids: optionally([], [values.consultedBaseId], [values.consultedBaseId, values.consultedBaseId]),
    sourceIds: optionally([values.sourceId]),
    // Several sources in one request have no fixed order across two servers.
    sources: fc.option(fc.array(source, { maxLength: 1 }), { nil: undefined }),
    voice_id: exactly(VOICE),
    version: optionally(1),
    agentVersion: optionally(1),
    agent_version: optionally(1),
    outboundAgentVersion: optionally(1),
    transition_condition: condition,
    email,
    webhook_url: optionally(null, `${UNREACHABLE_URL}/agent`),
    // Otherwise, dates are often in the past.
    expiresAt: optionally(null, '2090-01-31T12:00:00Z', '2091-12-31T23:59:59.999+02:00'),
  }
}

/** Values that only some operations need. */
function ownValues({
  ids: { values },
  spare,
  signedInUser,
  passwordChanger,
}: GeneratedScene): Readonly<Record<string, Values>> {
  // The draft version changes constantly.
  const newest: Values = { version: absent }
  // So do version tags and the engine type.
  const draft: Values = { agentEtag: absent, llm: absent, llmEtag: absent }
  // A component cannot contain itself, and a component that flows use cannot start to require others.
  const component: Values = { component_id: absent }
  const partsOfGraphs: FieldValues = (name) => {
    if (name === 'transition_condition') return condition
    return name === 'agent_id' ? exactly(values.agentId) : name === 'component_id' ? absent : undefined
  }
  // Local components cannot reuse the id of a shared component.
  const parts: Values = {
    components: fc.option(createArbitrary(LocalFlowComponentList, partsOfGraphs), { nil: undefined }),
  }
  // Sends the complete list, which stays consistent, instead of a patch.
  const graph: Values = {
    ...newest,
    nodes: createArbitrary(CreateConversationFlowBody.shape.nodes, partsOfGraphs),
    removeNodeIds: absent,
    replaceNodes: exactly(true),
  }
  const engineFields: Values = {
    llm_id: optionally(values.llmId),
    conversation_flow_id: optionally(values.conversationFlowId),
  }
  return {
    updateLlm: newest,
    rewindChat: { turnId: exactly(values.turnId) },
    // The start must exist in the agent's engine, which changes constantly.
    runPlayground: { current_node_id: absent, component_path: absent, current_state: absent },
    testTool: { url: exactly(`${UNREACHABLE_URL}/tool`) },
    createWebhook: { url: exactly(`${UNREACHABLE_URL}/hooks`) },
    updateWebhook: { url: optionally(`${UNREACHABLE_URL}/changed`) },
    updateAgent: newest,
    updateChatAgent: newest,
    saveAgentDraft: draft,
    saveChatAgentDraft: draft,
    createConversationFlow: parts,
    validateConversationFlow: parts,
    updateConversationFlow: { ...graph, ...parts },
    updateFlowComponent: { ...graph, ...component },
    createFlowComponent: component,
    // Later versions may use servers that do not exist.
    createChat: { agentVersion: exactly(1) },
    createWebCall: { agentVersion: exactly(1) },
    // The storage setting of a call can only become stricter, and later requests read the recording.
    updateCall: { data_storage_setting: optionally('everything') },
    addKnowledgeSources: { sources: fc.tuple(source) },
    createNumber: { number },
    importNumber: { number },
    createTestCase: engineFields,
    updateTestCase: { ...engineFields, ...newest },
    // Keys and brands belong to the spare tenant, because no conversation or search uses it.
    createProviderKey: {
      workspaceId: optionally(spare.workspaceId),
      tenantId: optionally(spare.tenantId),
      providerId: optionally(spare.providerId),
    },
    updateBranding: { tenantId: exactly(spare.tenantId), providerId: absent },
    verifyBrandDomain: { tenantId: exactly(spare.tenantId), providerId: absent },
    createTenant: { providerId: optionally(values.providerId, spare.providerId) },
    login: { email: exactly(signedInUser.login.email), password: exactly(signedInUser.login.password) },
    // Keeps the password, so that the next login succeeds.
    changePassword: {
      currentPassword: exactly(passwordChanger.login.password),
      newPassword: exactly(passwordChanger.login.password),
    },
    confirmPassword: { password: exactly(signedInUser.login.password) },
    // The valid link is known only when the request is sent.
    resetPassword: { token: exactly('x'.repeat(43)) },
  }
}

/** Values of query parameters as text. */
export function queryValues({ name: operation }: Operation, { ids }: GeneratedScene): FieldValues {
  const { workspaceId, values } = ids
  const isChange = operation.startsWith('update')
  const byName: Values = {
    workspaceId: exactly(String(workspaceId)),
    // Pagination keys come from responses.
    paginationKey: absent,
    paginationKeyVersion: absent,
    agentId: optionally(values.agentId),
    agentVersion: optionally('1'),
    version: isChange ? absent : optionally('1', 'latest', 'active'),
    llmId: optionally(values.llmId),
    conversationFlowId: optionally(values.conversationFlowId),
    userId: optionally(values.userId),
    webhookId: optionally(values.webhookId),
    chatId: optionally(values.chatId),
    mcpId: exactly(MCP_ID),
    componentId: absent,
    tenantId: optionally(values.tenantId),
    providerId: absent,
    ...(operation === 'listProviderKeys' && { tenantId: absent }),
    // Links come from responses.
    expires: absent,
    signature: absent,
    ...(operation === 'listMcpTools' && { version: exactly('1') }),
    ...(operation === 'listTestCases' && { version: optionally('1') }),
    // The default range exceeds the maximum of one request.
    ...(operation === 'getUsage' && {
      startDate: optionally('2026-01-31'),
      endDate: optionally('2026-02-28T12:00:00Z'),
    }),
  }
  return (name) => byName[name]
}

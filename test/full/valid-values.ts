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

/** Equations have their own grammar. */
const condition = createArbitrary(TransitionCondition).filter((given) => {
  const written = given as TransitionCondition
  return written.type === 'prompt' || readEquation(written).type === 'condition'
})
const source = createArbitrary(SourceInput)
const number = fc.stringMatching(/^\+[1-9] ?\d{3,4}[- ]?\d{6,8}$/)
const email = fc.uuid().map((name) => `Person-${name}@example.com`)

/** What fields of bodies hold so that they name what exists. `undefined` leaves a field out. */
export function bodyValues({ name: operation }: Operation, scene: GeneratedScene): FieldValues {
  const byName = namedValues(scene)
  const own = ownValues(scene)[operation] ?? {}
  return (name, schema) => {
    const values = own[name] ?? byName[name]
    // What has to be there and may be null is null.
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
    // Several of one request have no order that two servers would share.
    sources: fc.option(fc.array(source, { maxLength: 1 }), { nil: undefined }),
    voice_id: exactly(VOICE),
    version: optionally(1),
    agentVersion: optionally(1),
    agent_version: optionally(1),
    outboundAgentVersion: optionally(1),
    transition_condition: condition,
    email,
    webhook_url: optionally(null, `${UNREACHABLE_URL}/agent`),
    // Without these a date is often one of the past.
    expiresAt: optionally(null, '2090-01-31T12:00:00Z', '2091-12-31T23:59:59.999+02:00'),
  }
}

/** What single operations need beyond that. */
function ownValues({
  ids: { values },
  spare,
  signedInUser,
  passwordChanger,
}: GeneratedScene): Readonly<Record<string, Values>> {
  // Which version is still a draft changes all the time.
  const newest: Values = { version: absent }
  // So do tags, and whether the engine is an LLM configuration at all.
  const draft: Values = { agentEtag: absent, llm: absent, llmEtag: absent }
  // A component cannot be a part of itself, and one that flows use must not come to need them.
  const component: Values = { component_id: absent }
  const partsOfGraphs: FieldValues = (name) => {
    if (name === 'transition_condition') return condition
    return name === 'agent_id' ? exactly(values.agentId) : name === 'component_id' ? absent : undefined
  }
  // No local component has the id of a shared one.
  const parts: Values = {
    components: fc.option(createArbitrary(LocalFlowComponentList, partsOfGraphs), { nil: undefined }),
  }
  // Patches say the same in another form; as a whole the list fits together.
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
    // Where it begins has to be a place of the agent's engine, which changes all the time.
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
    // Later versions may stand on servers that nobody runs.
    createChat: { agentVersion: exactly(1) },
    createWebCall: { agentVersion: exactly(1) },
    // What is stored of a call can only become less, and its recording is asked for later.
    updateCall: { data_storage_setting: optionally('everything') },
    addKnowledgeSources: { sources: fc.tuple(source) },
    createNumber: { number },
    importNumber: { number },
    createTestCase: engineFields,
    updateTestCase: { ...engineFields, ...newest },
    // Keys and brands of the spare ones: no conversation and no search depends on them.
    createProviderKey: {
      workspaceId: optionally(spare.workspaceId),
      tenantId: optionally(spare.tenantId),
      providerId: optionally(spare.providerId),
    },
    updateBranding: { tenantId: exactly(spare.tenantId), providerId: absent },
    verifyBrandDomain: { tenantId: exactly(spare.tenantId), providerId: absent },
    createTenant: { providerId: optionally(values.providerId, spare.providerId) },
    login: { email: exactly(signedInUser.login.email), password: exactly(signedInUser.login.password) },
    // The same again, so that the next one is right as well.
    changePassword: {
      currentPassword: exactly(passwordChanger.login.password),
      newPassword: exactly(passwordChanger.login.password),
    },
    confirmPassword: { password: exactly(signedInUser.login.password) },
    // Which link is still good is known when the request is sent.
    resetPassword: { token: exactly('x'.repeat(43)) },
  }
}

/** What parameters of queries hold, as text. */
export function queryValues({ name: operation }: Operation, { ids }: GeneratedScene): FieldValues {
  const { workspaceId, values } = ids
  const isChange = operation.startsWith('update')
  const byName: Values = {
    workspaceId: exactly(String(workspaceId)),
    // A key is one of an answer.
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
    // A link is one of an answer.
    expires: absent,
    signature: absent,
    ...(operation === 'listMcpTools' && { version: exactly('1') }),
    ...(operation === 'listTestCases' && { version: optionally('1') }),
    // The whole of time is more than one answer may be about.
    ...(operation === 'getUsage' && {
      startDate: optionally('2026-01-31'),
      endDate: optionally('2026-02-28T12:00:00Z'),
    }),
  }
  return (name) => byName[name]
}

import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { TransitionCondition } from '@parley/contract/flow-edge'
import { readEquation } from '@parley/contract/flow-equation'
import { SourceInput } from '@parley/contract/knowledge-source'
import { LocalFlowComponentList } from '@parley/contract/local-component'
import type { Operation } from '@parley/contract/operation'
import { arbitraryOf, type FieldValues } from '@parley/contract/testing/schema-arbitrary'
import fc from 'fast-check'
import { VOICE } from '../../testing/server-test.ts'
import type { GeneratedScene } from './generated-scene.ts'
import { NOWHERE } from './good-account-bodies.ts'
import { MCP_ID } from './good-bodies.ts'

type Values = Readonly<Record<string, fc.Arbitrary<unknown>>>

const absent = fc.constant(undefined)
const orAbsent = (...values: readonly unknown[]) => fc.constantFrom(undefined, ...values)
const only = (value: unknown) => fc.constant(value)

/** Equations have a grammar of their own. */
const condition = arbitraryOf(TransitionCondition).filter((given) => {
  const written = given as TransitionCondition
  return written.type === 'prompt' || readEquation(written).type === 'condition'
})
const source = arbitraryOf(SourceInput)
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
  const agent = orAbsent(values.agentId)
  return {
    workspaceId: only(workspaceId),
    workspaceIds: orAbsent([workspaceId], [workspaceId, workspaceId]),
    tenantId: orAbsent(values.tenantId),
    providerId: orAbsent(values.providerId),
    accountSid: orAbsent(values.tenantId),
    agentId: only(values.agentId),
    agent_id: only(values.agentId),
    default_agent_id: agent,
    fallback_agent_id: agent,
    outboundAgentId: agent,
    llm_id: only(values.llmId),
    conversation_flow_id: only(values.conversationFlowId),
    component_id: only(values.flowComponentId),
    knowledge_base_ids: orAbsent([], [values.consultedBaseId], [values.consultedBaseId, values.consultedBaseId]),
    sourceIds: orAbsent([values.sourceId]),
    // Several of one request have no order that two servers would share.
    sources: fc.option(fc.array(source, { maxLength: 1 }), { nil: undefined }),
    voice_id: only(VOICE),
    version: orAbsent(1),
    agentVersion: orAbsent(1),
    agent_version: orAbsent(1),
    outboundAgentVersion: orAbsent(1),
    transition_condition: condition,
    email,
    webhook_url: orAbsent(null, `${NOWHERE}/agent`),
    // Without these a date is often one of the past.
    expiresAt: orAbsent(null, '2090-01-31T12:00:00Z', '2091-12-31T23:59:59.999+02:00'),
  }
}

/** What single operations need beyond that. */
function ownValues({ ids: { values }, spare, visitor, changer }: GeneratedScene): Readonly<Record<string, Values>> {
  // Which version is still a draft changes all the time.
  const newest: Values = { version: absent }
  // So do tags, and whether the engine is an LLM configuration at all.
  const draft: Values = { agentEtag: absent, llm: absent, llmEtag: absent }
  // A component cannot be a part of itself, and one that flows use must not come to need them.
  const component: Values = { component_id: absent }
  const partsOfGraphs: FieldValues = (name) => {
    if (name === 'transition_condition') return condition
    return name === 'agent_id' ? only(values.agentId) : name === 'component_id' ? absent : undefined
  }
  // No local component has the id of a shared one.
  const parts: Values = {
    components: fc.option(arbitraryOf(LocalFlowComponentList, partsOfGraphs), { nil: undefined }),
  }
  // Patches say the same in another form; as a whole the list fits together.
  const graph: Values = {
    ...newest,
    nodes: arbitraryOf(CreateConversationFlowBody.shape.nodes, partsOfGraphs),
    removeNodeIds: absent,
    replaceNodes: only(true),
  }
  const someEngine: Values = {
    llm_id: orAbsent(values.llmId),
    conversation_flow_id: orAbsent(values.conversationFlowId),
  }
  return {
    updateLlm: newest,
    rewindChat: { turnId: only(values.turnId) },
    // Where it begins has to be a place of the agent's engine, which changes all the time.
    runPlayground: { current_node_id: absent, component_path: absent, current_state: absent },
    testTool: { url: only(`${NOWHERE}/tool`) },
    createWebhook: { url: only(`${NOWHERE}/hooks`) },
    updateWebhook: { url: orAbsent(`${NOWHERE}/changed`) },
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
    createChat: { agentVersion: only(1) },
    createWebCall: { agentVersion: only(1) },
    // What is stored of a call can only become less, and its recording is asked for later.
    updateCall: { data_storage_setting: orAbsent('everything') },
    addKnowledgeSources: { sources: fc.tuple(source) },
    createNumber: { number },
    importNumber: { number },
    createTestCase: someEngine,
    updateTestCase: { ...someEngine, ...newest },
    // Keys and brands of the spare ones: no conversation and no search depends on them.
    createProviderKey: {
      workspaceId: orAbsent(spare.workspaceId),
      tenantId: orAbsent(spare.tenantId),
      providerId: orAbsent(spare.providerId),
    },
    updateBranding: { tenantId: only(spare.tenantId), providerId: absent },
    verifyBrandDomain: { tenantId: only(spare.tenantId), providerId: absent },
    createTenant: { providerId: orAbsent(values.providerId, spare.providerId) },
    login: { email: only(visitor.login.email), password: only(visitor.login.password) },
    // The same again, so that the next one is right as well.
    changePassword: { currentPassword: only(changer.login.password), newPassword: only(changer.login.password) },
    confirmPassword: { password: only(visitor.login.password) },
    // Which link is still good is known when the request is sent.
    resetPassword: { token: only('x'.repeat(43)) },
  }
}

/** What parameters of queries hold, as text. */
export function queryValues({ name: operation }: Operation, { ids }: GeneratedScene): FieldValues {
  const { workspaceId, values } = ids
  const isChange = operation.startsWith('update')
  const byName: Values = {
    workspaceId: only(String(workspaceId)),
    // A key is one of an answer.
    paginationKey: absent,
    paginationKeyVersion: absent,
    agentId: orAbsent(values.agentId),
    agentVersion: orAbsent('1'),
    version: isChange ? absent : orAbsent('1', 'latest', 'active'),
    llmId: orAbsent(values.llmId),
    conversationFlowId: orAbsent(values.conversationFlowId),
    userId: orAbsent(values.userId),
    webhookId: orAbsent(values.webhookId),
    chatId: orAbsent(values.chatId),
    mcpId: only(MCP_ID),
    componentId: absent,
    tenantId: orAbsent(values.tenantId),
    providerId: absent,
    ...(operation === 'listProviderKeys' && { tenantId: absent }),
    // A link is one of an answer.
    expires: absent,
    signature: absent,
    ...(operation === 'listMcpTools' && { version: only('1') }),
    ...(operation === 'listTestCases' && { version: orAbsent('1') }),
    // The whole of time is more than one answer may be about.
    ...(operation === 'getUsage' && { startDate: orAbsent('2026-01-31'), endDate: orAbsent('2026-02-28T12:00:00Z') }),
  }
  return (name) => byName[name]
}

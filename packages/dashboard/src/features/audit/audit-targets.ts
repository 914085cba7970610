import type { AuditLogEntry } from '@parley/contract/audit'
import type { LinkProps } from '@tanstack/react-router'
import { message, useText } from '../../lib/language.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type Choices, useChoices } from '../../parts/choices/choices.ts'
import type { People } from './people.ts'

/** Labels of record types by path parameter, as catalog messages. */
const KIND_LABELS: Readonly<Record<string, string>> = {
  agentId: message('Agent'),
  llmId: message('Prompt'),
  conversationFlowId: message('Flow'),
  flowComponentId: message('Flow component'),
  knowledgeBaseId: message('Knowledge base'),
  sourceId: message('Source'),
  voiceId: message('Voice'),
  number: message('Phone number'),
  testCaseDefinitionId: message('Test case'),
  callId: message('Call'),
  chatId: message('Chat'),
  turnId: message('Turn'),
  webhookId: message('Webhook'),
  deliveryId: message('Webhook delivery'),
  tokenId: message('API token'),
  sessionId: message('Session'),
  name: message('Secret'),
  providerKeyId: message('Provider key'),
  userId: message('Person'),
  workspaceId: message('Workspace'),
  tenantId: message('Account'),
  providerId: message('Provider'),
}

type TargetLink = Pick<LinkProps, 'to' | 'params'>

/** A record that an operation changed. */
export interface Target {
  readonly kind: string
  readonly id: string
  /** Null if only the ID is known. */
  readonly name: string | null
  /** Null if the record has no page or no longer exists. */
  readonly link: TargetLink | null
}

/** Returns a function that lists the records an entry changed, most specific first. */
export function useTargets(people: People): (entry: AuditLogEntry) => readonly Target[] {
  const t = useText()
  const currentWorkspaceId = useWorkspaceId()
  const workspaces = useWorkspaces()
  const choicesByParameter: Readonly<Record<string, readonly Choices[]>> = {
    agentId: [useChoices('agents'), useChoices('chatAgents')],
    llmId: [useChoices('llms')],
    conversationFlowId: [useChoices('flows')],
    knowledgeBaseId: [useChoices('knowledgeBases')],
  }
  function findName(parameter: string, id: string): string | null {
    if (parameter === 'userId') return people.choices.find((person) => person.id === id)?.label ?? null
    if (parameter === 'workspaceId') return workspaces.find((workspace) => String(workspace.id) === id)?.name ?? null
    const choices = (choicesByParameter[parameter] ?? []).flatMap((list) => list.choices)
    return choices.find((choice) => choice.id === id)?.label ?? null
  }
  return ({ target, operation, workspaceId }) =>
    listTargetIds(target).map(([parameter, id]) => {
      const name = findName(parameter, id)
      // Records without a known name were deleted, or belong to another workspace.
      const isUnavailable = operation.startsWith('delete') || (parameter in choicesByParameter && name === null)
      const context = { operation, workspaceId: workspaceId ?? currentWorkspaceId }
      const link = isUnavailable ? null : buildLink(parameter, id, context)
      return { kind: t(KIND_LABELS[parameter] ?? parameter), id, name, link }
    })
}

/** Lists the IDs of a target, most specific first. Includes the workspace only if there is no other ID. */
export function listTargetIds(target: AuditLogEntry['target']): readonly (readonly [parameter: string, id: string])[] {
  const ids = Object.entries(target).reverse()
  return ids.length > 1 ? ids.filter(([parameter]) => parameter !== 'workspaceId') : ids
}

interface LinkContext {
  readonly operation: string
  readonly workspaceId: number
}

function buildLink(parameter: string, id: string, { operation, workspaceId }: LinkContext): TargetLink | null {
  switch (parameter) {
    case 'agentId':
      return {
        to: operation.includes('ChatAgent') ? '/$workspaceId/chat-agents/$agentId' : '/$workspaceId/agents/$agentId',
        params: { workspaceId, agentId: id },
      }
    case 'llmId':
      return { to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: id } }
    case 'conversationFlowId':
      return { to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: id } }
    case 'knowledgeBaseId':
      return { to: '/$workspaceId/knowledge/$knowledgeBaseId', params: { workspaceId, knowledgeBaseId: id } }
    case 'number':
      return { to: '/$workspaceId/numbers/$number', params: { workspaceId, number: id } }
    case 'testCaseDefinitionId':
      return { to: '/$workspaceId/test-cases/$testCaseId', params: { workspaceId, testCaseId: id } }
    case 'callId':
      return { to: '/$workspaceId/calls/$callId', params: { workspaceId, callId: id } }
    case 'chatId':
      return { to: '/$workspaceId/chats/$chatId', params: { workspaceId, chatId: id } }
    case 'webhookId':
      return { to: '/$workspaceId/webhooks', params: { workspaceId } }
    case 'tokenId':
      return { to: '/$workspaceId/tokens', params: { workspaceId } }
    case 'name':
      return { to: '/$workspaceId/secrets', params: { workspaceId } }
    case 'providerKeyId':
      return { to: '/$workspaceId/provider-keys', params: { workspaceId } }
    case 'userId':
      return { to: '/$workspaceId/team', params: { workspaceId } }
    case 'workspaceId':
      return { to: '/$workspaceId', params: { workspaceId: Number(id) } }
    default:
      return null
  }
}

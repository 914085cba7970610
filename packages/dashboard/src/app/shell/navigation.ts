import {
  AudioLines,
  BookOpen,
  Bot,
  Braces,
  Building2,
  ChartNoAxesColumn,
  ClipboardCheck,
  House,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Paintbrush,
  Phone,
  PhoneCall,
  ScrollText,
  Ticket,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react'
import type { OperationName } from '../../lib/api/request.ts'
import { message } from '../../lib/language.ts'

export interface NavigationEntry {
  readonly to: string
  /** Translated by `t`. */
  readonly label: string
  readonly icon: LucideIcon
  /** The first operation of the page. Users without permission do not see the entry. */
  readonly operation: OperationName
  /** Key to press after `g`. */
  readonly key?: string
}

export interface NavigationGroup {
  readonly label: string
  readonly entries: readonly NavigationEntry[]
}

type EntryFields = readonly [page: string, label: string, icon: LucideIcon, operation: OperationName, key?: string]

function createGroup(label: string, entries: readonly EntryFields[]): NavigationGroup {
  return {
    label,
    entries: entries.map(([page, text, icon, operation, key]) => ({
      to: page === '' ? '/$workspaceId' : `/$workspaceId/${page}`,
      label: text,
      icon,
      operation,
      ...(key !== undefined && { key }),
    })),
  }
}

export const NAVIGATION: readonly NavigationGroup[] = [
  createGroup(message('Build'), [
    ['', message('Home'), House, 'getUsage', 'h'],
    ['agents', message('Agents'), Bot, 'listAgents', 'a'],
    ['chat-agents', message('Chat agents'), MessageSquare, 'listChatAgents'],
    ['llms', message('Prompts'), Braces, 'listLlms', 'l'],
    ['flows', message('Conversation flows'), Workflow, 'listConversationFlows', 'f'],
    ['knowledge', message('Knowledge bases'), BookOpen, 'listKnowledgeBases', 'k'],
    ['voices', message('Voices'), AudioLines, 'listVoices', 'v'],
    ['test-cases', message('Test cases'), ClipboardCheck, 'listTestCases', 't'],
  ]),
  createGroup(message('Deploy'), [['numbers', message('Phone numbers'), Phone, 'listNumbers', 'n']]),
  createGroup(message('Observe'), [
    ['calls', message('Calls'), PhoneCall, 'listCallHistory', 'c'],
    ['chats', message('Chats'), MessagesSquare, 'listChats', 'm'],
    ['usage', message('Usage and concurrency'), ChartNoAxesColumn, 'getUsage', 'u'],
  ]),
  createGroup(message('Account'), [
    ['tokens', message('API tokens'), Ticket, 'listTokens'],
    ['webhooks', message('Webhooks'), Webhook, 'listWebhooks'],
    ['provider-keys', message('Provider keys'), KeyRound, 'listProviderKeys'],
    ['secrets', message('Secrets'), LockKeyhole, 'listWorkspaceSecrets'],
    ['team', message('Team'), Users, 'listMembers'],
    ['workspaces', message('Workspaces'), Building2, 'createWorkspace'],
    ['branding', message('Branding'), Paintbrush, 'updateBranding'],
    ['audit-log', message('Audit log'), ScrollText, 'listAuditLog'],
  ]),
]

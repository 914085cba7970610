import type { LinkProps } from '@tanstack/react-router'
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

/** A page that the menu leads to. */
export interface NavigationEntry {
  readonly to: NonNullable<LinkProps['to']>
  /** In English; shown through the catalogue. */
  readonly label: string
  readonly icon: LucideIcon
  /** What the page calls first: the entry is shown to those who may. */
  readonly needs: OperationName
  /** Pressed after `g`. */
  readonly key?: string
}

export interface NavigationGroup {
  readonly label: string
  readonly entries: readonly NavigationEntry[]
}

/** The menu, by what one does: make agents, bring them to people, see what happens, keep the account in order. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: message('Build'),
    entries: [
      { to: '/$workspaceId', label: message('Home'), icon: House, needs: 'getUsage', key: 'h' },
      { to: '/$workspaceId/agents', label: message('Agents'), icon: Bot, needs: 'listAgents', key: 'a' },
      { to: '/$workspaceId/chat-agents', label: message('Chat agents'), icon: MessageSquare, needs: 'listChatAgents' },
      { to: '/$workspaceId/llms', label: message('Prompts'), icon: Braces, needs: 'listLlms', key: 'l' },
      {
        to: '/$workspaceId/flows',
        label: message('Conversation flows'),
        icon: Workflow,
        needs: 'listConversationFlows',
        key: 'f',
      },
      {
        to: '/$workspaceId/knowledge',
        label: message('Knowledge bases'),
        icon: BookOpen,
        needs: 'listKnowledgeBases',
        key: 'k',
      },
      { to: '/$workspaceId/voices', label: message('Voices'), icon: AudioLines, needs: 'listVoices', key: 'v' },
      {
        to: '/$workspaceId/test-cases',
        label: message('Test cases'),
        icon: ClipboardCheck,
        needs: 'listTestCases',
        key: 't',
      },
    ],
  },
  {
    label: message('Deploy'),
    entries: [
      { to: '/$workspaceId/numbers', label: message('Phone numbers'), icon: Phone, needs: 'listNumbers', key: 'n' },
    ],
  },
  {
    label: message('Observe'),
    entries: [
      { to: '/$workspaceId/calls', label: message('Calls'), icon: PhoneCall, needs: 'listCallHistory', key: 'c' },
      { to: '/$workspaceId/chats', label: message('Chats'), icon: MessagesSquare, needs: 'listChats', key: 'm' },
      {
        to: '/$workspaceId/usage',
        label: message('Usage and concurrency'),
        icon: ChartNoAxesColumn,
        needs: 'getUsage',
        key: 'u',
      },
    ],
  },
  {
    label: message('Account'),
    entries: [
      { to: '/$workspaceId/tokens', label: message('API tokens'), icon: Ticket, needs: 'listTokens' },
      { to: '/$workspaceId/webhooks', label: message('Webhooks'), icon: Webhook, needs: 'listWebhooks' },
      { to: '/$workspaceId/provider-keys', label: message('Provider keys'), icon: KeyRound, needs: 'listProviderKeys' },
      { to: '/$workspaceId/secrets', label: message('Secrets'), icon: LockKeyhole, needs: 'listWorkspaceSecrets' },
      { to: '/$workspaceId/team', label: message('Team'), icon: Users, needs: 'listMembers' },
      { to: '/$workspaceId/workspaces', label: message('Workspaces'), icon: Building2, needs: 'createWorkspace' },
      { to: '/$workspaceId/branding', label: message('Branding'), icon: Paintbrush, needs: 'updateBranding' },
      { to: '/$workspaceId/audit-log', label: message('Audit log'), icon: ScrollText, needs: 'listAuditLog' },
    ],
  },
]

import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { BookOpen, Bot, Braces, type LucideIcon, MessageSquare, PhoneCall, Plus, Workflow } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import type { OperationName } from '../../lib/api/request.ts'
import { setTimer } from '../../lib/clock.ts'
import { requestHotkey } from '../../lib/keys/hotkeys.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NAVIGATION } from './navigation.ts'
import { type PaletteItem, rankItems } from './palette-ranking.ts'

/** Maximum number of records to load from each list. */
const MAX_RECORDS = 200
const MAX_RESULTS = 30
const MAX_CALLS = 5
const MIN_CALL_SEARCH_LENGTH = 3
const CALL_SEARCH_DELAY_MS = 200

interface Item extends PaletteItem {
  readonly kind: string
  readonly icon: LucideIcon
  readonly open: () => void
}

/** Pages that create a record with the hotkey `n`. */
const CREATE_ACTIONS: readonly { readonly label: string; readonly page: string; readonly operation: OperationName }[] =
  [
    { label: message('New agent'), page: 'agents', operation: 'createAgent' },
    { label: message('New chat agent'), page: 'chat-agents', operation: 'createChatAgent' },
    { label: message('New prompt'), page: 'llms', operation: 'createLlm' },
    { label: message('New flow'), page: 'flows', operation: 'createConversationFlow' },
    { label: message('New knowledge base'), page: 'knowledge', operation: 'createKnowledgeBase' },
    { label: message('New test case'), page: 'test-cases', operation: 'createTestCase' },
    { label: message('New webhook'), page: 'webhooks', operation: 'createWebhook' },
    { label: message('New API token'), page: 'tokens', operation: 'createToken' },
    { label: message('Invite a member'), page: 'team', operation: 'addMember' },
  ]

interface PaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Finds pages, records, and actions by their displayed names. */
export function Palette({ open, onOpenChange }: PaletteProps) {
  const t = useText()
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-0 top-[12dvh] z-50 mx-auto w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-panel shadow-xl"
        >
          <Dialog.Title className="sr-only">{t('Search')}</Dialog.Title>
          <SearchList onClose={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SearchList({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [typed, setTyped] = useState('')
  const [selectedIndex, setSelectedIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { items, isLoading } = useItems()
  const calls = useCalls(typed)
  const results = [...rankItems(items, typed).slice(0, MAX_RESULTS), ...calls.items]
  const activeIndex = Math.min(selectedIndex, results.length - 1)
  const openItem = (item: Item | undefined): void => {
    if (item === undefined) return
    onClose()
    item.open()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected option scrolls into view when it changes.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && results.length > 0)
      setSelectedIndex((activeIndex + step + results.length) % results.length)
    else if (event.key === 'Enter') openItem(results[activeIndex])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-results"
        aria-activedescendant={results.length > 0 ? `palette-${activeIndex}` : undefined}
        aria-label={t('Search')}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        placeholder={t('Search pages, agents, flows, calls and actions')}
        onChange={(event) => {
          setTyped(event.target.value)
          setSelectedIndex(0)
        }}
        onKeyDown={onKeyDown}
        className="w-full rounded-t-xl border-b border-line bg-panel px-4 py-3 text-base focus-visible:outline-none"
      />
      <div
        ref={list}
        id="palette-results"
        role="listbox"
        aria-label={t('Results')}
        className="max-h-[50dvh] overflow-y-auto p-1.5 empty:hidden"
      >
        {results.map((item, index) => (
          <Option
            key={item.id}
            item={item}
            id={`palette-${index}`}
            isSelected={index === activeIndex}
            onOpen={() => openItem(item)}
          />
        ))}
      </div>
      <p role="status" className="px-4 py-6 text-center text-muted empty:hidden">
        {results.length > 0
          ? null
          : isLoading || calls.isLoading
            ? t('Loading…')
            : t('No results for “{typed}”', { typed })}
      </p>
    </>
  )
}

interface OptionProps {
  readonly item: Item
  readonly id: string
  readonly isSelected: boolean
  readonly onOpen: () => void
}

function Option({ item: { icon: Icon, label, kind }, id, isSelected, onOpen }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard focus and handles Enter.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      onClick={onOpen}
      className={clsx(
        'flex min-h-10 cursor-pointer items-center gap-2.5 rounded px-2 hover:bg-sunken',
        isSelected && 'bg-sunken',
      )}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate" dir="auto">
        {label}
      </span>
      <span className="shrink-0 text-xs text-muted">{kind}</span>
    </div>
  )
}

/** Returns the pages, actions, and records that can be found by name. */
function useItems(): { readonly items: readonly Item[]; readonly isLoading: boolean } {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const buildPath = (page: string): string => `/${workspaceId}${page}`
  const createOpener = (page: string) => () => void navigate({ to: buildPath(page) })
  const pages: Item[] = [
    ...NAVIGATION.flatMap(({ entries }) => entries)
      .filter(({ operation }) => can(operation))
      .map(({ to, label, icon }) => ({ id: to, label: t(label), kind: t('Page'), icon, page: to })),
    { id: 'profile', label: t('Profile'), kind: t('Page'), icon: Bot, page: '/$workspaceId/profile' },
  ].map(({ page, ...item }) => ({ ...item, open: createOpener(page.replace('/$workspaceId', '')) }))
  const actions: Item[] = CREATE_ACTIONS.filter(({ operation }) => can(operation)).map(({ label, page }) => ({
    id: `new ${page}`,
    label: t(label),
    kind: t('Action'),
    icon: Plus,
    open: () => {
      requestHotkey(buildPath(`/${page}`), 'n')
      createOpener(`/${page}`)()
    },
  }))
  const params = { query: { limit: MAX_RECORDS } } as const
  const agents = useRead('listAgents', params, { enabled: can('listAgents') })
  const chatAgents = useRead('listChatAgents', params, { enabled: can('listChatAgents') })
  const flows = useRead('listConversationFlows', params, { enabled: can('listConversationFlows') })
  const prompts = useRead('listLlms', params, { enabled: can('listLlms') })
  const bases = useRead('listKnowledgeBases', params, { enabled: can('listKnowledgeBases') })
  const createItemMapper = (kind: string, icon: LucideIcon, page: string) => (id: string, name: string) => ({
    id,
    label: name === '' ? id : name,
    kind,
    icon,
    open: createOpener(`/${page}/${id}`),
  })
  const toAgentItem = createItemMapper(t('Agent'), Bot, 'agents')
  const toChatAgentItem = createItemMapper(t('Chat agent'), MessageSquare, 'chat-agents')
  const toFlowItem = createItemMapper(t('Flow'), Workflow, 'flows')
  const toPromptItem = createItemMapper(t('Prompt'), Braces, 'llms')
  const toBaseItem = createItemMapper(t('Knowledge base'), BookOpen, 'knowledge')
  return {
    items: [
      ...pages,
      ...actions,
      ...(agents.data ?? []).map((agent) => toAgentItem(agent.agent_id, agent.agent_name)),
      ...(chatAgents.data ?? []).map((agent) => toChatAgentItem(agent.agent_id, agent.agent_name)),
      ...(flows.data ?? []).map((flow) => toFlowItem(flow.conversation_flow_id, flow.display_name)),
      ...(prompts.data ?? []).map((prompt) => toPromptItem(prompt.llm_id, prompt.display_name)),
      ...(bases.data ?? []).map((base) => toBaseItem(base.knowledgeBaseId, base.name)),
    ],
    isLoading: [agents, chatAgents, flows, prompts, bases].some(({ isLoading }) => isLoading),
  }
}

/** Searches calls on the server by agent, customer, phone number, and ID. */
function useCalls(typed: string): { readonly items: readonly Item[]; readonly isLoading: boolean } {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [search, setSearch] = useState('')
  useEffect(() => setTimer(CALL_SEARCH_DELAY_MS, () => setSearch(typed.trim())), [typed])
  const isSearchEnabled = search.length >= MIN_CALL_SEARCH_LENGTH && can('listCallHistory')
  const { data, isLoading } = useRead(
    'listCallHistory',
    { query: { search, limit: MAX_CALLS } },
    { enabled: isSearchEnabled, keepPreviousData: true },
  )
  const calls = isSearchEnabled && typed.trim() !== '' ? (data?.calls ?? []) : []
  return {
    isLoading,
    items: calls.map(({ callId, agentName }) => ({
      id: callId,
      label: agentName ? `${agentName} · ${callId}` : callId,
      kind: t('Call'),
      icon: PhoneCall,
      open: () => void navigate({ to: '/$workspaceId/calls/$callId', params: { workspaceId, callId } }),
    })),
  }
}

import { useQuery } from '@tanstack/react-query'
import type { RecordChoice } from '../../components/record-field.tsx'
import { addWorkspace } from '../../lib/api/hooks.ts'
import { type NextPage, type OperationName, type RequestParams, request, type ValueOf } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

const SOURCES = {
  agents: createSource('listAgents', (agent) => ({
    id: agent.agent_id,
    label: agent.agent_name,
    hint: `v${agent.version}`,
  })),
  chatAgents: createSource('listChatAgents', (agent) => ({
    id: agent.agent_id,
    label: agent.agent_name,
    hint: `v${agent.version}`,
  })),
  llms: createSource('listLlms', (llm) => ({ id: llm.llm_id, label: llm.display_name, hint: `v${llm.version}` })),
  flows: createSource('listConversationFlows', (flow) => ({
    id: flow.conversation_flow_id,
    label: flow.display_name,
    hint: `v${flow.version}`,
  })),
  knowledgeBases: createSource('listKnowledgeBases', (base) => ({ id: base.knowledgeBaseId, label: base.name })),
} as const

export type ChoiceKind = keyof typeof SOURCES

type ListName = {
  [Name in OperationName]: ValueOf<Name> extends readonly unknown[] ? Name : never
}[OperationName]

interface Source {
  readonly name: ListName
  readonly toChoice: (row: never) => RecordChoice
}

function createSource<Name extends ListName>(
  name: Name,
  toChoice: (row: ValueOf<Name> extends readonly (infer Row)[] ? Row : never) => RecordChoice,
): Source {
  return { name, toChoice }
}

const ROWS_PER_PAGE = 1_000
/** Maximum number of pages to load. Records on later pages cannot be selected, and only their IDs are displayed. */
const MAX_PAGES = 20
const STALE_TIME_MS = 30_000

async function readAllChoices(
  { name, toChoice }: Source,
  workspaceId: number,
  signal: AbortSignal,
): Promise<RecordChoice[]> {
  const choices: RecordChoice[] = []
  let next: NextPage | null = null
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: object = { limit: ROWS_PER_PAGE, ...(next as NextPage | null) }
    const response = await request(name, addWorkspace(name, { query } as RequestParams<typeof name>, workspaceId), {
      signal,
    })
    choices.push(...(response.value as unknown as readonly never[]).map(toChoice))
    next = response.next
    if (next === null) break
  }
  return choices.map((choice) => (choice.label === '' ? { ...choice, label: choice.id } : choice))
}

export interface Choices {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  readonly error: Error | null
  /** Returns the name of a record: `…` while loading, or the ID if the record is unknown. */
  getName(id: string): string
}

export function useChoices(kind: ChoiceKind): Choices {
  const workspaceId = useWorkspaceId()
  const { data, isLoading, error } = useQuery({
    // Starts with the operation name, so that refreshing the list also refreshes the choices.
    queryKey: [SOURCES[kind].name, 'choices', workspaceId],
    queryFn: ({ signal }) => readAllChoices(SOURCES[kind], workspaceId, signal),
    staleTime: STALE_TIME_MS,
  })
  return {
    choices: data ?? [],
    isLoading,
    error,
    getName: (id) => data?.find((choice) => choice.id === id)?.label ?? (isLoading ? '…' : id),
  }
}

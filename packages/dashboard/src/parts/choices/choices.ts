import { useQuery } from '@tanstack/react-query'
import type { RecordChoice } from '../../components/record-field.tsx'
import { addWorkspace } from '../../lib/api/hooks.ts'
import { type NextPage, type OperationName, type RequestParts, request, type ValueOf } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

const SOURCES = {
  agents: createSource('listAgents', (one) => ({ id: one.agent_id, label: one.agent_name, hint: `v${one.version}` })),
  chatAgents: createSource('listChatAgents', (one) => ({
    id: one.agent_id,
    label: one.agent_name,
    hint: `v${one.version}`,
  })),
  llms: createSource('listLlms', (one) => ({ id: one.llm_id, label: one.display_name, hint: `v${one.version}` })),
  flows: createSource('listConversationFlows', (one) => ({
    id: one.conversation_flow_id,
    label: one.display_name,
    hint: `v${one.version}`,
  })),
  knowledgeBases: createSource('listKnowledgeBases', (one) => ({ id: one.knowledgeBaseId, label: one.name })),
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

const PAGE_ROWS = 1_000
/** Maximum number of pages to load. Records on later pages are not offered, but their IDs are still displayed. */
const MAX_PAGES = 20
const FRESH_MS = 30_000

async function readAll({ name, toChoice }: Source, workspaceId: number, signal: AbortSignal): Promise<RecordChoice[]> {
  const loaded: RecordChoice[] = []
  let next: NextPage | null = null
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: object = { limit: PAGE_ROWS, ...(next as NextPage | null) }
    const answer = await request(name, addWorkspace(name, { query } as RequestParts<typeof name>, workspaceId), {
      signal,
    })
    loaded.push(...(answer.value as unknown as readonly never[]).map(toChoice))
    next = answer.next
    if (next === null) break
  }
  return loaded.map((choice) => (choice.label === '' ? { ...choice, label: choice.id } : choice))
}

export interface Choices {
  readonly choices: readonly RecordChoice[]
  readonly isLoading: boolean
  readonly error: Error | null
  /** Returns the name of a record: `…` while loading, or the ID if the record is unknown. */
  nameOf(id: string): string
}

export function useChoices(kind: ChoiceKind): Choices {
  const workspaceId = useWorkspaceId()
  const { data, isLoading, error } = useQuery({
    // Starts like the list's query key, so that both refresh together.
    queryKey: [SOURCES[kind].name, 'choices', workspaceId],
    queryFn: ({ signal }) => readAll(SOURCES[kind], workspaceId, signal),
    staleTime: FRESH_MS,
  })
  return {
    choices: data ?? [],
    isLoading,
    error,
    nameOf: (id) => data?.find((choice) => choice.id === id)?.label ?? (isLoading ? '…' : id),
  }
}

import { useQuery } from '@tanstack/react-query'
import { DifferenceView } from '../../components/difference-view.tsx'
import { Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import type { OperationName } from '../../lib/api/request.ts'
import { differencesOf, VERSION_FIELDS } from '../../lib/difference.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { VersionsSearch } from './versions-search.ts'

/** A record that is compared beside the main one, such as the LLM configuration that a version answers with. */
export interface ComparedRecord {
  readonly title: string
  readonly value: object
}

/** How the versions of a record are read to compare them. */
export interface ComparedVersions {
  /** Reads one version in full. */
  readonly read: (version: number, signal: AbortSignal) => Promise<object>
  /** What of a version is compared; everything by default. */
  readonly toCompared?: (value: object) => object
  /** Name of the operation behind `read` and the id of the record: a write that refreshes this operation has versions read again. */
  readonly readKey: readonly [OperationName, string]
  /** What people call a field. */
  readonly nameOf: (field: string) => string
  /** Reads what else belongs to a version; null when there is nothing. */
  readonly readAlso?: (value: object, signal: AbortSignal) => Promise<ComparedRecord | null>
}

interface Content {
  readonly value: object
  readonly also: ComparedRecord | null
}

/** What differs between two versions, and between what else belongs to them. */
export function VersionDifference({
  read,
  readAlso,
  toCompared = (value) => value,
  readKey,
  nameOf,
  compared: { from, to },
}: ComparedVersions & { readonly compared: Required<VersionsSearch> }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const contents = useQuery({
    queryKey: [...readKey, 'compared', workspaceId, from, to],
    queryFn: async ({ signal }): Promise<readonly [Content, Content]> => {
      const readContent = async (version: number): Promise<Content> => {
        const value = await read(version, signal)
        return { value, also: (await readAlso?.(value, signal)) ?? null }
      }
      return await Promise.all([readContent(from), readContent(to)])
    },
  })
  return (
    <Panel title={t('What differs between version {from} and version {to}', { from, to })}>
      <Reading of={contents} lines={4}>
        {([older, newer]) => (
          <div className="flex min-w-0 flex-col gap-5">
            <DifferenceView
              differences={differencesOf(toCompared(older.value), toCompared(newer.value), VERSION_FIELDS)}
              nameOf={nameOf}
            />
            <AlsoDifference older={older.also} newer={newer.also} nameOf={nameOf} />
          </div>
        )}
      </Reading>
    </Panel>
  )
}

/** Shown only where something differs: two versions mostly answer with the same. */
function AlsoDifference({
  older,
  newer,
  nameOf,
}: {
  readonly older: ComparedRecord | null
  readonly newer: ComparedRecord | null
  readonly nameOf: (field: string) => string
}) {
  if (older === null || newer === null) return null
  const differences = differencesOf(older.value, newer.value, VERSION_FIELDS)
  if (differences.length === 0) return null
  return (
    <section className="flex min-w-0 flex-col gap-3">
      <h2 className="font-semibold" dir="auto">
        {older.title === newer.title ? newer.title : `${older.title} → ${newer.title}`}
      </h2>
      <DifferenceView differences={differences} nameOf={nameOf} />
    </section>
  )
}

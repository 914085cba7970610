import { useQuery } from '@tanstack/react-query'
import { DifferenceView } from '../../components/difference-view.tsx'
import { Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { differencesOf, VERSION_FIELDS } from '../../lib/difference.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { VersionsSearch } from './versions-search.ts'
import type { ComparedRecord, VersionRow, VersionsViewProps } from './versions-view.tsx'

interface Content {
  readonly value: object
  readonly also: ComparedRecord | null
}

/** What differs between two versions, and between what else belongs to them. */
export function VersionDifference<Row extends VersionRow>({
  read,
  readAlso,
  toCompared = (value) => value,
  readKey,
  nameOf,
  compared: { from, to },
}: Pick<VersionsViewProps<Row>, 'read' | 'readAlso' | 'toCompared' | 'readKey' | 'nameOf'> & {
  readonly compared: Required<VersionsSearch>
}) {
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

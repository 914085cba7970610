import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { type QueryResult, QueryView } from './states.tsx'

interface RecordScreenProps<Value> {
  /** Title until the record loads. */
  readonly title: string
  readonly above: ReactNode
  readonly query: QueryResult<Value>
  readonly children: (value: Value) => ReactNode
}

/** Renders the page of one record, or a placeholder or problem until the record loads. */
export function RecordScreen<Value>({ title, above, query, children }: RecordScreenProps<Value>) {
  if (query.data !== undefined) return children(query.data)
  return (
    <Page title={title} above={above}>
      <QueryView query={query} lines={8}>
        {() => null}
      </QueryView>
    </Page>
  )
}

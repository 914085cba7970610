import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { type QueryResult, QueryView } from './states.tsx'

interface RecordScreenProps<Value> {
  /** Until the record is known. */
  readonly title: string
  readonly above: ReactNode
  readonly query: QueryResult<Value>
  readonly children: (value: Value) => ReactNode
}

/** The page of one record, with a placeholder or the problem until it is loaded. */
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

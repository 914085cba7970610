import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { type QueryResult, QueryView } from './states.tsx'

interface RecordScreenProps<Value> {
  /** Title until the record loads. */
  readonly title: string
  readonly backLink: ReactNode
  readonly query: QueryResult<Value>
  readonly children: (value: Value) => ReactNode
}

/** Renders the page of one record, or a placeholder or problem until the record loads. */
export function RecordScreen<Value>({ title, backLink, query, children }: RecordScreenProps<Value>) {
  if (query.data !== undefined) return children(query.data)
  return (
    <Page title={title} backLink={backLink}>
      <QueryView query={query} lines={8}>
        {() => null}
      </QueryView>
    </Page>
  )
}

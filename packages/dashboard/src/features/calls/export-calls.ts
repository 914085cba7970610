import type { CallHistoryItem } from '@parley/contract/call-history'
import { useEffect, useRef, useState } from 'react'
import { complain, tell } from '../../components/toasts.tsx'
import { inWorkspace } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { keepFile } from '../../lib/keep-file.ts'
import { type Text, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type CallFilter, PAGE_ROWS, toHistoryQuery } from './call-filter.ts'
import { csvOf } from './csv.ts'

/** More than this is not read for one file. */
const MAX_ROWS = 5_000

export interface CallExport {
  /** Calls that were read so far; null while none is made. */
  readonly readRows: number | null
  start(): void
  cancel(): void
}

/** Makes a file of the calls that a filter shows, and has the browser keep it. */
export function useCallExport(filter: CallFilter): CallExport {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [readRows, setReadRows] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function run(signal: AbortSignal): Promise<void> {
    const found = new Map<string, CallHistoryItem>()
    let total = 0
    for (let page = 1; page <= MAX_ROWS / PAGE_ROWS; page += 1) {
      const parts = inWorkspace('listCallHistory', { query: toHistoryQuery(filter, page) }, workspaceId)
      const { calls, pagination } = (await request('listCallHistory', parts, { signal })).value
      // A call that begins meanwhile moves others to the next page.
      for (const call of calls) found.set(call.callId, call)
      total = pagination.total
      setReadRows(found.size)
      if (page >= pagination.pages) break
    }
    keepFile('calls.csv', `\uFEFF${csvOf(tableOf([...found.values()], t))}`, 'text/csv;charset=utf-8')
    const values = { count: found.size, total }
    tell(
      total > MAX_ROWS
        ? t('The newest {count, number} of {total, number} calls are in the file.', values)
        : t('{count, plural, one {# call is} other {# calls are}} in the file.', values),
    )
  }

  return {
    readRows,
    start() {
      const controller = new AbortController()
      running.current = controller
      setReadRows(0)
      run(controller.signal)
        .catch((error: Error) => {
          if (!controller.signal.aborted) complain(error.message)
        })
        .finally(() => setReadRows(null))
    },
    cancel: () => running.current?.abort(),
  }
}

/** The calls as a table with a heading. Times are UTC, so that a spreadsheet can compare them. */
function tableOf(calls: readonly CallHistoryItem[], t: Text): (string | number | null)[][] {
  return [
    [
      t('Call id'),
      t('Started (UTC)'),
      t('Direction'),
      t('From number'),
      t('To number'),
      t('Customer'),
      t('Agent'),
      t('Version'),
      t('Status'),
      t('Seconds'),
      t('Sentiment'),
      t('Cost (USD)'),
      t('Summary'),
    ],
    ...calls.map((call) => [
      call.callId,
      call.startedAt,
      call.direction ?? 'web',
      call.fromNumber,
      call.toNumber,
      call.customerName,
      call.agentName,
      call.agentVersion,
      call.callStatus,
      call.duration,
      call.sentiment,
      call.costs.total,
      call.summary,
    ]),
  ]
}

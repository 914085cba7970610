import type { ErrorDetail } from '@parley/contract/errors'
import { useEffect, useState } from 'react'
import { inWorkspace } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { after } from '../../lib/clock.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { bodyOf, type FlowDocument } from './flow-document.ts'

/** What the server says of a flow that is not stored. */
export interface FlowCheck {
  /** Why it could not be stored, with paths. */
  readonly errors: readonly ErrorDetail[]
  /** What may not work as expected. */
  readonly warnings: readonly string[]
  /** Why it could not be checked. */
  readonly failure: Problem | null
}

/** So long nothing more must be typed before the server is asked. */
const PAUSE_MS = 500

/** Has the server check a document while it is edited. Null until the first answer; the last answer stays while the next is awaited. */
export function useFlowCheck(flowId: string, document: FlowDocument | null): FlowCheck | null {
  const [check, setCheck] = useState<FlowCheck | null>(null)
  const workspaceId = useWorkspaceId()
  const isAllowed = useMay()('validateConversationFlow')
  useEffect(() => {
    if (document === null || !isAllowed) return
    const abort = new AbortController()
    const ask = async (): Promise<void> => {
      const found = await askServer({ flowId, document, workspaceId }, abort.signal)
      if (!abort.signal.aborted && found !== null) setCheck(found)
    }
    const takeBack = after(PAUSE_MS, () => void ask())
    return () => {
      takeBack()
      abort.abort()
    }
  }, [flowId, document, workspaceId, isAllowed])
  return check
}

interface Asked {
  readonly flowId: string
  readonly document: FlowDocument
  readonly workspaceId: number
}

async function askServer({ flowId, document, workspaceId }: Asked, signal: AbortSignal): Promise<FlowCheck | null> {
  const body = { ...bodyOf(document), secrets_from: flowId }
  const parts = inWorkspace('validateConversationFlow', { body }, workspaceId)
  try {
    const { value } = await request('validateConversationFlow', parts, { signal })
    return { errors: value.errors, warnings: value.warnings, failure: null }
  } catch (error) {
    if (!(error instanceof Problem)) return null
    // Fields of a wrong form: the server says so like the creation would.
    if (error.code === 'invalid_request') {
      const errors = error.details.length > 0 ? error.details : [{ path: '', message: error.message }]
      return { errors, warnings: [], failure: null }
    }
    return { errors: [], warnings: [], failure: error }
  }
}

import { FLOW_LIMIT_BYTES } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { AppError } from '../../kernel/errors.ts'

/** As many as other answers list. */
const MAX_DETAILS = 50

/** Refuses a body for all its problems at once; does nothing when there are none. */
export function refuseProblems(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first === undefined) return
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see details)` : ''
  throw new AppError('invalid_request', `${first.path}: ${first.message}${more}`, {
    details: problems.slice(0, MAX_DETAILS),
  })
}

/** Many changes may each be small and make something that no body could carry. */
export function sizeProblems(definition: object): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(definition)) <= FLOW_LIMIT_BYTES) return []
  return [{ path: 'nodes', message: `must be at most ${FLOW_LIMIT_BYTES} bytes of JSON with all that is stored` }]
}

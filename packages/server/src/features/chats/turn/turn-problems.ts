import { AppError, notFound } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'

/** Why a turn could not begin or be stored. A chat that was deleted under its turn is simply not there any more. */
export function toProblem(error: unknown, chatId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BatchConflictError) return notFound('chat', chatId)
  return new AppError('internal_error', 'The turn could not be stored.', { cause: error })
}

export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body; use a new key for a new request.',
  )
}

export function chatEnded(chatId: string): AppError {
  return new AppError('chat_ended', `The chat "${chatId}" has ended; create a new one to go on.`)
}

export function turnNotRunning(status: string): AppError {
  return new AppError('turn_not_running', `The turn is over (${status}) and cannot be cancelled.`)
}

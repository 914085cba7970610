import { useEffect } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import type { FoundInTurn } from '../transcript/cited-passages.ts'
import { isOver } from './chat-state.ts'
import type { TestChatState } from './test-chat-state.ts'

const NONE: readonly FoundInTurn[] = []

/** What the answers of a chat were given from. The stream of a turn does not say: it is asked once a turn is over. */
export function useFoundPassages({ chatId, turns }: Pick<TestChatState, 'chatId' | 'turns'>): readonly FoundInTurn[] {
  const answered = turns.filter(isOver).length
  const { data, refetch } = useRead(
    'getChat',
    { path: { chatId: chatId ?? '' } },
    { enabled: chatId !== null && answered > 0 },
  )
  useEffect(() => {
    if (answered > 1) void refetch()
  }, [answered, refetch])
  return data?.retrievedPassages ?? NONE
}

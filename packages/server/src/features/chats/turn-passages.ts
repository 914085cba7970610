import type { Chat } from '@parley/contract/chat'
import type { Explanation } from '@parley/engine/dialogue/conversation'
import type { Reader } from '../../kernel/database.ts'

type RetrievedPassages = Chat['retrievedPassages']

/** Turns whose passages are answered with a chat. */
const MOST_TURNS = 100

/** Stands in the decisions of a turn that searched: spares reading the others. */
const MARK: Explanation['type'] = 'knowledge-retrieved'

/** What the answers of a chat were given from, oldest turn first. */
export async function readPassages(reader: Reader, chatId: string): Promise<RetrievedPassages> {
  const turns = await reader
    .selectFrom('turns')
    .select(['turn_id', 'explanation'])
    .where('chat_id', '=', chatId)
    .where('explanation', 'like', `%"${MARK}"%`)
    .orderBy('position', 'desc')
    .limit(MOST_TURNS)
    .execute()
  return turns.reverse().flatMap(({ turn_id: turnId, explanation }) => {
    const decisions = JSON.parse(explanation) as Explanation[]
    const found = decisions.flatMap((one) => (one.type === 'knowledge-retrieved' ? one.passages : []))
    return found.map((passage) => ({ ...passage, headings: [...passage.headings], turnId }))
  })
}

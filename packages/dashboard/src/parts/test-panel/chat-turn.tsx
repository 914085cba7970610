import type { Passage } from '@parley/contract/knowledge-passage'
import { RotateCw } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { PassageNote } from '../transcript/passage-note.tsx'
import { Bubble } from './bubble.tsx'
import { isOver, type TurnState } from './chat-state.ts'
import { ToolFold } from './tool-fold.tsx'

/** A message of the person, and what the agent did about it. */
export function ChatTurn({
  turn,
  agentName,
  passages,
  onSendAgain,
}: {
  readonly turn: TurnState
  readonly agentName: string
  /** What it was answered from. */
  readonly passages: readonly Passage[]
  /** Absent where it cannot be sent again. */
  readonly onSendAgain?: (() => void) | undefined
}) {
  const t = useText()
  const last = turn.parts.findLastIndex(({ kind }) => kind === 'said')
  return (
    <>
      <Bubble side="person" speaker={t('You')}>
        {turn.content}
      </Bubble>
      {turn.parts.map((part, index) =>
        part.kind === 'tool' ? (
          <ToolFold key={part.toolCallId} tool={part} />
        ) : (
          <Bubble
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added, and keep their place.
            key={index}
            side="agent"
            speaker={agentName}
            note={index === last && isOver(turn) ? <AnswerTimes turn={turn} /> : null}
          >
            {part.text}
            {part.isIncomplete && ' …'}
          </Bubble>
        ),
      )}
      {!isOver(turn) && last === -1 && (
        <span className="self-start rounded-lg bg-sunken px-3 py-2 text-muted">{t('Thinking …')}</span>
      )}
      {last !== -1 && isOver(turn) && <PassageNote passages={passages} />}
      <TurnEnd turn={turn} onSendAgain={onSendAgain} />
    </>
  )
}

function AnswerTimes({ turn: { firstWordMs, wholeMs } }: { readonly turn: TurnState }) {
  const t = useText()
  const { duration } = useFormats()
  return (
    <>
      {firstWordMs !== null && <span>{t('First word after {time}', { time: duration(firstWordMs) })}</span>}
      {wholeMs !== null && <span>{t('whole answer {time}', { time: duration(wholeMs) })}</span>}
    </>
  )
}

/** What became of a turn that was not completed. */
function TurnEnd({
  turn: { status, failure },
  onSendAgain,
}: {
  readonly turn: TurnState
  readonly onSendAgain?: (() => void) | undefined
}) {
  const t = useText()
  if (status === 'cancelled') return <p className="self-start text-xs text-muted">{t('You stopped the answer.')}</p>
  if (status !== 'failed' && status !== 'interrupted' && status !== 'refused') return null
  const text = failure ?? (status === 'interrupted' ? t('The server stopped in the middle of the answer.') : null)
  return (
    <div className="flex flex-col items-start gap-2 self-stretch">
      {text && (
        <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {text}
        </p>
      )}
      {onSendAgain && (
        <Button icon={RotateCw} onClick={onSendAgain}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

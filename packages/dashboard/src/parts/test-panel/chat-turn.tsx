import type { Passage } from '@parley/contract/knowledge-passage'
import { ChevronRight, RotateCw, Wrench } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { PassageNote } from '../transcript/passage-note.tsx'
import { Bubble } from './bubble.tsx'
import { isOver, type ToolPart, type TurnState } from './chat-state.ts'

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

/** A call of a tool, folded: what it was given and what it answered. */
function ToolFold({ tool }: { readonly tool: ToolPart }) {
  const t = useText()
  const { name, result, isSuccessful } = tool
  return (
    <details className="group max-w-full min-w-0 self-start rounded-md border border-line bg-panel">
      <summary className="flex min-h-9 list-none items-center gap-2 px-2.5 py-1 [&::-webkit-details-marker]:hidden">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <code className="min-w-0 truncate text-xs" dir="auto">
          {name}
        </code>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
        {result === null && <Badge>{t('Working')}</Badge>}
        {result !== null && isSuccessful === false && <Badge tone="bad">{t('Failed')}</Badge>}
        {result !== null && isSuccessful !== false && <Badge tone="good">{t('Answered')}</Badge>}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <ToolText label={t('Arguments')} text={tool.arguments} />
        {result !== null && <ToolText label={t('Result')} text={result} />}
      </div>
    </details>
  )
}

function ToolText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-muted">{label}</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0} className="max-h-48 overflow-auto text-xs break-words whitespace-pre-wrap" dir="auto">
        {text === '' ? '–' : readableJson(text)}
      </pre>
    </div>
  )
}

/** JSON with an indentation; anything else as it is. */
function readableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

import type { Llm } from '@parley/contract/llm'
import { BookOpen } from 'lucide-react'
import { useState } from 'react'
import { ButtonLink } from '../../components/button.tsx'
import { CONTROL_CLASS, useFieldProblem } from '../../components/field.tsx'
import { CheckField, NumberField, SliderField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import type { RecordChoice } from '../../components/record-field.tsx'
import { Empty, ProblemNote, Skeleton } from '../../components/states.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../choices/choices.ts'

/** What the server takes where nothing is said. */
const USUAL_PASSAGES = 3

/** The part of an LLM configuration that flows have as well. */
type KnowledgeUse = Pick<Llm, 'knowledge_base_ids' | 'kb_config'>

interface KnowledgePartProps {
  readonly value: KnowledgeUse
  readonly onChange: (changes: Partial<KnowledgeUse>) => void
  readonly disabled: boolean
}

/** Which knowledge bases answers draw on, and how they are searched. */
export function KnowledgeSettings({ value, onChange, disabled }: KnowledgePartProps) {
  const t = useText()
  const { number } = useFormats()
  const { kb_config: config } = value
  return (
    <div className="flex flex-col gap-5">
      <KnowledgeBases
        chosen={value.knowledge_base_ids}
        onChange={(ids) => onChange({ knowledge_base_ids: ids })}
        disabled={disabled}
      />
      <Panel title={t('Search before each answer')}>
        <NumberField
          label={t('Passages at most')}
          help={t('How many passages are found for an answer, 1 to 10. More of them cost more and can distract.')}
          name="kb_config.top_k"
          minimum={1}
          maximum={10}
          value={config.top_k}
          onChange={(passages) => onChange({ kb_config: { ...config, top_k: passages ?? USUAL_PASSAGES } })}
          disabled={disabled}
        />
        <SliderField
          label={t('How well a passage must fit')}
          help={t('0 takes every passage that fits at all, 1 only the ones that fit perfectly.')}
          name="kb_config.filter_score"
          minimum={0}
          maximum={1}
          step={0.05}
          value={config.filter_score}
          print={(share) => number(share, 2)}
          onChange={(score) => onChange({ kb_config: { ...config, filter_score: score } })}
          disabled={disabled}
        />
      </Panel>
    </div>
  )
}

interface KnowledgeBasesProps {
  readonly chosen: readonly string[]
  readonly onChange: (ids: string[]) => void
  readonly disabled: boolean
}

/** So many can be looked through without a search. */
const FEW = 8

function KnowledgeBases({ chosen, onChange, disabled }: KnowledgeBasesProps) {
  const t = useText()
  const { choices, isLoading, error } = useChoices('knowledgeBases')
  const [typed, setTyped] = useState('')
  const problem = useFieldProblem('knowledge_base_ids')
  const all = withGone(choices, isLoading ? [] : chosen)
  const shown = all.filter(({ id, label }) => `${label} ${id}`.toLowerCase().includes(typed.trim().toLowerCase()))
  if (isLoading && error === null) return <Skeleton lines={4} />
  if (all.length === 0 && error === null) return <NoKnowledgeBase />
  return (
    <Panel
      title={t('Knowledge bases')}
      description={t('{count, plural, =0 {None is chosen.} one {# is chosen.} other {# are chosen.}}', {
        count: chosen.length,
      })}
    >
      {error !== null && <ProblemNote problem={error} />}
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      {all.length > FEW && (
        <input
          type="search"
          dir="auto"
          className={`${CONTROL_CLASS} max-w-sm`}
          aria-label={t('Find a knowledge base')}
          placeholder={t('Find a knowledge base')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <BaseList shown={shown} chosen={chosen} onChange={onChange} disabled={disabled} />
    </Panel>
  )
}

function BaseList({
  shown,
  chosen,
  onChange,
  disabled,
}: KnowledgeBasesProps & { readonly shown: readonly RecordChoice[] }) {
  const t = useText()
  return (
    <ul className="flex max-h-96 flex-col overflow-y-auto" data-field="knowledge_base_ids">
      {shown.map(({ id, label, hint }) => (
        <li key={id}>
          <CheckField
            label={hint === undefined ? label : `${label} (${hint})`}
            value={chosen.includes(id)}
            onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))}
            disabled={disabled}
          />
        </li>
      ))}
      {shown.length === 0 && <li className="text-muted">{t('Nothing found.')}</li>}
    </ul>
  )
}

function NoKnowledgeBase() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <Empty
      icon={BookOpen}
      title={t('No knowledge base yet')}
      action={
        <ButtonLink to="/$workspaceId/knowledge" params={{ workspaceId }}>
          {t('Go to the knowledge bases')}
        </ButtonLink>
      }
    >
      {t('A knowledge base holds documents that answers draw on. Make one, then choose it here.')}
    </Empty>
  )
}

/** Also what was chosen and is not there any more, so that it can be taken away. */
function withGone(choices: readonly RecordChoice[], chosen: readonly string[]): readonly RecordChoice[] {
  const known = new Set(choices.map(({ id }) => id))
  return [...choices, ...chosen.filter((id) => !known.has(id)).map((id) => ({ id, label: id }))]
}

import type { Llm } from '@parley/contract/llm'
import { BookOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CONTROL_CLASS, useFieldProblem } from '../../components/field.tsx'
import { CheckField, NumberField, SliderField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import type { RecordChoice } from '../../components/record-field.tsx'
import { EmptyState, ProblemNote, Skeleton } from '../../components/states.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useChoices } from '../choices/choices.ts'
import { NewBaseDialog } from '../knowledge/new-base-dialog.tsx'

const DEFAULT_PASSAGES = 3

/** Fields that prompts and flows share. */
type KnowledgeFields = Pick<Llm, 'knowledge_base_ids' | 'kb_config'>

interface KnowledgeSettingsProps {
  readonly value: KnowledgeFields
  readonly onChange: (changes: Partial<KnowledgeFields>) => void
  readonly disabled: boolean
}

/** Renders the knowledge base selection and the search settings. */
export function KnowledgeSettings({ value, onChange, disabled }: KnowledgeSettingsProps) {
  const t = useText()
  const format = useFormatter()
  const { kb_config: config } = value
  return (
    <>
      <KnowledgeBases
        selected={value.knowledge_base_ids}
        onChange={(ids) => onChange({ knowledge_base_ids: ids })}
        disabled={disabled}
      />
      <Panel title={t('Knowledge search')}>
        <div className="grid min-w-0 items-start gap-x-5 gap-y-4 sm:grid-cols-2">
          <NumberField
            label={t('Max passages')}
            help={t('More passages cost more and can distract the model.')}
            name="kb_config.top_k"
            minimum={1}
            maximum={10}
            value={config.top_k}
            onChange={(passages) => onChange({ kb_config: { ...config, top_k: passages ?? DEFAULT_PASSAGES } })}
            disabled={disabled}
          />
          <SliderField
            label={t('Min score')}
            help={t('From 0 (any match) to 1 (exact match).')}
            name="kb_config.filter_score"
            minimum={0}
            maximum={1}
            step={0.05}
            value={config.filter_score}
            format={(score) => format.number(score, 2)}
            onChange={(score) => onChange({ kb_config: { ...config, filter_score: score } })}
            disabled={disabled}
          />
        </div>
      </Panel>
    </>
  )
}

interface KnowledgeBasesProps {
  readonly selected: readonly string[]
  readonly onChange: (ids: string[]) => void
  readonly disabled: boolean
}

/** Longer lists have a search box. */
const MAX_WITHOUT_SEARCH = 8

function KnowledgeBases({ selected, onChange, disabled }: KnowledgeBasesProps) {
  const t = useText()
  const { choices, isLoading, error } = useChoices('knowledgeBases')
  const [query, setQuery] = useState('')
  const problem = useFieldProblem('knowledge_base_ids')
  const allChoices = addMissingChoices(choices, isLoading ? [] : selected)
  const visibleChoices = allChoices.filter(({ id, label }) =>
    `${label} ${id}`.toLowerCase().includes(query.trim().toLowerCase()),
  )
  if (isLoading && error === null) return <Skeleton lines={4} />
  const newButton = !disabled && <NewKnowledgeBaseButton onCreated={(id) => onChange([...selected, id])} />
  if (allChoices.length === 0 && error === null) {
    return (
      <EmptyState icon={BookOpen} title={t('No knowledge bases yet')} action={newButton}>
        {t('Add documents that the agent searches before it answers.')}
      </EmptyState>
    )
  }
  return (
    <Panel
      title={t('Knowledge bases')}
      description={t('{count, plural, =0 {None selected} other {# selected}}', { count: selected.length })}
      actions={newButton}
    >
      {error !== null && <ProblemNote problem={error} />}
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      {allChoices.length > MAX_WITHOUT_SEARCH && (
        <input
          type="search"
          dir="auto"
          className={`${CONTROL_CLASS} max-w-sm`}
          aria-label={t('Search knowledge bases')}
          placeholder={t('Search knowledge bases')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <KnowledgeBaseList choices={visibleChoices} selected={selected} onChange={onChange} disabled={disabled} />
    </Panel>
  )
}

function KnowledgeBaseList({
  choices,
  selected,
  onChange,
  disabled,
}: KnowledgeBasesProps & { readonly choices: readonly RecordChoice[] }) {
  const t = useText()
  return (
    <ul className="flex max-h-96 flex-col overflow-y-auto" data-field="knowledge_base_ids">
      {choices.map(({ id, label, hint }) => (
        <li key={id}>
          <CheckField
            label={hint === undefined ? label : `${label} (${hint})`}
            value={selected.includes(id)}
            onChange={(isSelected) =>
              onChange(isSelected ? [...selected, id] : selected.filter((selectedId) => selectedId !== id))
            }
            disabled={disabled}
          />
        </li>
      ))}
      {choices.length === 0 && <li className="text-muted">{t('No matches.')}</li>}
    </ul>
  )
}

function NewKnowledgeBaseButton({ onCreated }: { readonly onCreated: (knowledgeBaseId: string) => void }) {
  const t = useText()
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  if (!can('createKnowledgeBase')) return null
  return (
    <>
      <Button icon={Plus} onClick={() => setIsOpen(true)}>
        {t('New knowledge base')}
      </Button>
      {isOpen && <NewBaseDialog onClose={() => setIsOpen(false)} onCreated={onCreated} />}
    </>
  )
}

/** Adds choices for selected IDs that no longer exist, so that users can deselect them. */
function addMissingChoices(choices: readonly RecordChoice[], selected: readonly string[]): readonly RecordChoice[] {
  const knownIds = new Set(choices.map(({ id }) => id))
  return [...choices, ...selected.filter((id) => !knownIds.has(id)).map((id) => ({ id, label: id }))]
}

import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import type { FreeObject } from './free-object.ts'
import { ObjectPanel } from './object-panel.tsx'
import { ValueList } from './value-list.tsx'

/** Data of a customer's own: what it is called in the body that stores it, and what it holds. */
export type OwnData<Name extends string> = readonly [name: Name, value: FreeObject]

export interface ConversationDataProps<Name extends string> {
  /** Variables that were given at the beginning or collected since. */
  readonly variables: FreeObject
  readonly variablesHelp: string
  /** Those that win over all others. */
  readonly overrides: OwnData<Name>
  readonly overridesHelp: string
  readonly metadata: OwnData<Name>
  readonly attributes: OwnData<Name>
  /** Absent for those who may only look. */
  readonly onSave: ((name: Name, value: FreeObject) => Promise<void>) | undefined
}

/** Variables and data of one's own that a conversation carries. */
export function ConversationData<Name extends string>({
  variables,
  variablesHelp,
  overrides,
  overridesHelp,
  metadata,
  attributes,
  onSave,
}: ConversationDataProps<Name>) {
  const t = useText()
  const stored = ([name, value]: OwnData<Name>) => ({
    name,
    value,
    onSave: onSave && ((changed: FreeObject) => onSave(name, changed)),
  })
  return (
    <>
      <Panel title={t('Variables')} description={variablesHelp}>
        <ValueList value={variables} />
      </Panel>
      <ObjectPanel
        title={t('Variables set from outside')}
        description={overridesHelp}
        kind="texts"
        {...stored(overrides)}
      />
      <ObjectPanel
        title={t('Metadata')}
        description={t('Data of your own; tools and webhooks get it.')}
        kind="json"
        {...stored(metadata)}
      />
      <ObjectPanel
        title={t('Custom attributes')}
        description={t('More data of your own.')}
        kind="json"
        {...stored(attributes)}
      />
    </>
  )
}

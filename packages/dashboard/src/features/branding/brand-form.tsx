import type { Branding } from '@parley/contract/branding'
import { type ReactNode, useMemo } from 'react'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { BrandFields } from './brand-fields.tsx'
import { type BrandOwner, ownerFields, ownerKey } from './brand-owner.ts'
import { BrandPreview } from './brand-preview.tsx'
import { type Inherited, type OwnBrand, ownBrand, shownBrand } from './own-brand.ts'

/** Edits a brand beside a picture of it. */
export function BrandForm({
  owner,
  shown,
  inherited,
  choice,
}: {
  readonly owner: BrandOwner
  readonly shown: Branding
  readonly inherited: Inherited
  /** Says whose brand it is. */
  readonly choice: ReactNode
}) {
  const t = useText()
  const newest = useMemo<Snapshot<OwnBrand>>(
    () => ({ value: ownBrand(shown, inherited.brand), etag: null }),
    [shown, inherited],
  )
  const draft = useDraft(`brand.${ownerKey(owner)}`, newest)
  const update = useWrite('updateBranding', { refreshes: ['getBranding'] })
  const saving = useSaving(draft, {
    write: async (edits) => {
      const { value } = await update.mutateAsync({ body: { ...ownerFields(owner), ...edits } })
      tell(t('The brand is saved and shows from now on.'))
      return { value: ownBrand(value, inherited.brand), etag: null }
    },
    read: async () => newest,
  })
  return (
    <Page
      title={t('Branding')}
      description={t('What customers see in place of ours. Empty fields are inherited.')}
      actions={
        <SaveBar
          isEdited={draft.isEdited}
          isSaving={saving.isSaving}
          canUndo={draft.canUndo}
          canRedo={draft.canRedo}
          onSave={() => void saving.save()}
          onUndo={draft.undo}
          onRedo={draft.redo}
          onDiscard={() => draft.discard()}
        />
      }
    >
      {choice}
      {saving.problem && <ProblemNote problem={saving.problem} />}
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]">
        <FieldProblems details={saving.problem?.details ?? []}>
          <BrandFields own={draft.value} inherited={inherited} onChange={draft.set} />
        </FieldProblems>
        <BrandPreview brand={shownBrand(draft.value, inherited.brand)} />
      </div>
      <ConflictDialog
        conflict={saving.conflict}
        edits={draft.edits}
        onResolve={saving.resolve}
        onPostpone={saving.postpone}
      />
    </Page>
  )
}

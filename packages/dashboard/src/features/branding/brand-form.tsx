import type { Branding } from '@parley/contract/branding'
import { type ReactNode, useMemo } from 'react'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { Page } from '../../components/page.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { BrandFields } from './brand-fields.tsx'
import { type BrandOwner, toOwnerFields, toOwnerKey } from './brand-owner.ts'
import { BrandPreview } from './brand-preview.tsx'
import { DomainPanel } from './domain-panel.tsx'
import { extractOwnBrand, type Inherited, type OwnBrand, resolveEffectiveBrand } from './own-brand.ts'

/** Renders a brand's fields next to the preview. */
export function BrandForm({
  owner,
  effective,
  inherited,
  choice,
}: {
  readonly owner: BrandOwner
  readonly effective: Branding
  readonly inherited: Inherited
  /** Selects the brand owner. */
  readonly choice: ReactNode
}) {
  const t = useText()
  const savedBrand = useMemo<Snapshot<OwnBrand>>(
    () => ({ value: extractOwnBrand(effective, inherited.brand), etag: null }),
    [effective, inherited],
  )
  const draft = useDraft(`brand.${toOwnerKey(owner)}`, savedBrand)
  const update = useWrite('updateBranding', { invalidates: ['getBranding', 'getBrandDomain'] })
  const saving = useSaving(draft, {
    write: async (edits) => {
      const { value } = await update.mutateAsync({ body: { ...toOwnerFields(owner), ...edits } })
      notify(t('Brand saved'))
      return { value: extractOwnBrand(value, inherited.brand), etag: null }
    },
    read: async () => savedBrand,
  })
  return (
    <Page
      title={t('Branding')}
      description={t('Name, logo, colors and links that your customers see. Empty fields are inherited.')}
      actions={<DraftBar draft={draft} saving={saving} />}
    >
      {choice}
      <DraftFields draft={draft} saving={saving}>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]">
          <div className="flex min-w-0 flex-col gap-5">
            <BrandFields ownBrand={draft.value} inherited={inherited} onChange={draft.set} />
            <DomainPanel owner={owner} />
          </div>
          <BrandPreview brand={resolveEffectiveBrand(draft.value, inherited.brand)} />
        </div>
      </DraftFields>
    </Page>
  )
}

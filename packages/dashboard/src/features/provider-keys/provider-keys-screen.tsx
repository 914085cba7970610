import { Page } from '../../components/page.tsx'

export function ProviderKeysScreen() {
  return <Page title="ProviderKeysScreen">…</Page>
}

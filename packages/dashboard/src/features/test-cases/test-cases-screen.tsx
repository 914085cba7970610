import { Page } from '../../components/page.tsx'

export function TestCasesScreen() {
  return <Page title="TestCasesScreen">…</Page>
}

// Builds the page into one HTML file without any reference to another.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
    plugins: [viteSingleFile({ removeViteModuleLoader: true })],
    build: { target: "es2022", outDir: "dist", emptyOutDir: true },
});

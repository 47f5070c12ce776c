// Where a run is played: the frame, the fraction of the way to the next, speed, loop. It knows no picture.
export class Player {
    index = 0;
    fraction = 0;
    isPlaying = false;
    loops = true;
    speed = 1;

    // times: of the frames [s], rising.
    constructor(readonly times: ArrayLike<number>) {}

    get last(): number {
        return this.times.length - 1;
    }
    get time(): number {
        const now = this.times[this.index];
        const next = this.times[Math.min(this.index + 1, this.last)];
        return now + this.fraction * (next - now);
    }
    go(index: number): void {
        this.index = Math.max(0, Math.min(this.last, Math.round(index)));
        this.fraction = 0;
    }
    step(count: number): void {
        this.isPlaying = false;
        this.go(this.index + count);
    }
    // Starts from the beginning where the run is at its end.
    toggle(): void {
        this.isPlaying = !this.isPlaying;
        if (this.isPlaying && this.index === this.last) this.go(0);
    }
    // seconds: that have passed on the clock.
    advance(seconds: number): void {
        if (!this.isPlaying || this.last === 0) return;
        this.goToTime(this.time + seconds * this.speed);
    }
    goToTime(time: number): void {
        const [first, end] = [this.times[0], this.times[this.last]];
        if (time >= end) {
            if (!this.loops) {
                this.go(this.last);
                this.isPlaying = false;
                return;
            }
            time = first + ((time - first) % Math.max(end - first, 1e-9));
        }
        let low = 0;
        let high = this.last - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.times[middle] <= time) low = middle;
            else high = middle - 1;
        }
        this.index = low;
        this.fraction = Math.max(0, Math.min(1, (time - this.times[low]) / (this.times[low + 1] - this.times[low])));
    }
}
